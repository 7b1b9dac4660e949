import { afterAll } from 'vitest';
import { time } from '../harness.mts';

// files share a process, and so its time
afterAll(() => time.forgetWhatIsOpen());
