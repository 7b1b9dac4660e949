/** Runs the stand-in until Ctrl-C: `npm run service`, with its port as an argument, by default 4010. */
import { startService } from './index.mts';

const service = await startService({ port: Number(process.argv[2] ?? 4010) });
console.log(`Form Service (a stand-in for tests and demos) is running
  Forms      ${service.url}/
  Base URL   ${service.baseUrl}
  Token      ${service.token}`);
