/** Runs the stand-in until Ctrl-C. `npm run service` takes the port as an argument; the default is 4010. */
import { startService } from './index.mts';

const service = await startService({ port: Number(process.argv[2] ?? 4010) });
console.log(`Form Service (a stand-in for tests and demos) is running
  Forms      ${service.url}/
  Base URL   ${service.baseUrl}
  Token      ${service.token}`);
