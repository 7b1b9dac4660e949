import { runOnNode24 } from './lib/bootstrap.mjs';

await runOnNode24('scripts/soak/main.mts');
