export type { CliEnvironment, OutputStream } from './environment.ts';
export type { CliErrorCode } from './errors.ts';
export type { CliResult } from './run-cli.ts';
export { runCli } from './run-cli.ts';
