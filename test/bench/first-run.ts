/** A separate process: imports a contender, submits one run, and works it off. Prints how many ms after its start that was settled. */
import { contenders } from './queues/contenders.ts';

const [contender = '', url = '', name = ''] = process.argv.slice(2);
const load = contenders[contender];
if (load === undefined) throw new Error(`There is no contender called ${contender}.`);
const bench = await (await load()).open({ url, name });
await bench.submit({ n: 0, data: {} });
await new Promise<void>((resolve, reject) => {
  const work = { concurrency: 10, tasks: 1, failures: 0, handle: async () => {}, onDone: resolve };
  bench.work(work).catch(reject);
});
console.log(performance.now());
process.exit();
