#!/usr/bin/env node
/** The program of this package: `npx @retry/postgres migrate`. */
import { readCommand } from './command/read-command.ts';
import { runCommand } from './command/run-command.ts';

try {
  console.log(await runCommand(readCommand(process.argv.slice(2), process.env)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
