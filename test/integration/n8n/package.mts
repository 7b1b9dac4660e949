import { HttpTime } from '../../time.mts';
import { builtFile } from './built.mts';

export * from './built.mts';

/** The time of the built package, and of the services in its tests. */
export const time = new HttpTime();
const { now, monotonicMs, sleep, timeout } = time;
const { clock } = builtFile<{ clock: object }>('nodes/FormService/api/clock.js');
Object.assign(clock, { now, monotonicMs, sleep, timeout });
