#!/usr/bin/env node
/** The command line program: `npx @retry/postgres migrate`. */
import { hideSecrets, secretsIn } from '@retry/core/broker/kit';
import { readCommand, runCommand } from './command.ts';

const args = process.argv.slice(2);

try {
  console.log(await runCommand(readCommand(args, process.env)));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  console.error(hideSecrets(message, secretsIn([...args, process.env['DATABASE_URL'] ?? ''])));
  process.exitCode = 1;
}
