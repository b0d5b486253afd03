/** The demo: requests to a server that misbehaves, then tasks through a queue, and what retrying made of them. */
import { readArguments, USAGE } from './read-arguments.ts';
import { runRequests } from './requests/run-requests.ts';
import type { BrokerName } from './tasks/open-broker.ts';
import { runTasks } from './tasks/run-tasks.ts';

try {
  const { seed, broker, help } = readArguments(process.argv.slice(2));
  if (help) console.log(USAGE);
  else if (!(await runDemo(seed, broker))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function runDemo(seed: number, broker: BrokerName): Promise<boolean> {
  const requestsHold = await runRequests(seed);
  console.log();
  const tasksHold = await runTasks(broker);
  return requestsHold && tasksHold;
}
