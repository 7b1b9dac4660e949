/** Runs the stand-in until Ctrl-C, on port 4010 or the port of the first argument. */
import { startService } from './index.mts';

const service = await startService({ port: Number(process.argv[2] ?? 4010) });
console.log(`Form Service (a stand-in for tests and demos) is running
  Forms      ${service.url}/
  Base URL   ${service.baseUrl}
  Token      ${service.token}`);
