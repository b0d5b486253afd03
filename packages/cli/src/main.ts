#!/usr/bin/env node
/** The program `retry`. */
import { EXIT } from './exit.ts';
import { runCli } from './run-cli.ts';

// A reader that stops reading (`retry … | head`) ends the program in silence, with the status that it has found.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // The status is set when the write has been answered, which is still under way.
  if (code === 'EPIPE') return void setImmediate(() => process.exit());
  process.stderr.write(`retry: standard output cannot be written: ${message}\n`);
  process.exit(EXIT.usage);
});
// The output reports what was done: a reader that is gone changes neither the work nor the exit status.
process.stderr.on('error', () => {});

const { exitCode, signal } = await runCli(process.argv.slice(2));
process.exitCode = exitCode;
// The same signal ends this process, so that the shell sees what the command died of.
if (signal !== undefined) process.kill(process.pid, signal);
// A server that does not answer must not keep the program.
setTimeout(() => process.exit(), 2_000).unref();
