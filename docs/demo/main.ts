/** The demo: requests to a flaky server, then tasks through a queue, and tables of what happened; or a queue that stays; or a board. */
import { showBoard } from './day/show-board.ts';
import { keepQueue } from './kept/keep-queue.ts';
import type { Arguments } from './read-arguments.ts';
import { readArguments, USAGE } from './read-arguments.ts';
import { runRequests } from './requests/run-requests.ts';
import { runTasks } from './tasks/run-tasks.ts';

try {
  const given = readArguments(process.argv.slice(2));
  if (given.help) console.log(USAGE);
  else if (given.keep) await keepQueue(given.broker);
  else if (given.board) process.exitCode = await showBoard(given);
  else if (!(await runDemo(given))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function runDemo({ seed, broker, resume }: Arguments): Promise<boolean> {
  if (resume) return runTasks(broker, 'resume');
  const requestsHold = await runRequests(seed);
  console.log();
  const tasksHold = await runTasks(broker, 'afresh');
  return requestsHold && tasksHold;
}
