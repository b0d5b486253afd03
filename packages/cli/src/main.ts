#!/usr/bin/env node
/** The program `retry`. */
import { runCli } from './run-cli.ts';

// A reader that stops reading (`retry … | head`) ends the program in silence.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

const { exitCode, signal } = await runCli(process.argv.slice(2));
process.exitCode = exitCode;
// The same signal ends this process, so that the shell sees what the command died of.
if (signal !== undefined) process.kill(process.pid, signal);
// A server that does not answer must not keep the program.
setTimeout(() => process.exit(), 2_000).unref();
