/*
 * Runs the stand-in service until the user presses Ctrl-C. `npm run service -- 4011` listens on port 4011. The
 * default port is 4010.
 */
import { startService } from './index.mts';

const service = await startService({ port: Number(process.argv[2] ?? 4010) });
console.log(`Form Service (a stand-in for tests and demos) is running
  Forms      ${service.url}/
  Base URL   ${service.baseUrl}
  Token      ${service.token}`);
