import { runOnNode24 } from './lib/bootstrap.mjs';

await runOnNode24('scripts/test-n8n/main.mts');
