import type { Decision, Policy } from '@retry/core';
import { AttemptTimeoutError, decide, NonRetryableError } from '@retry/core';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { clock } from '../clock.ts';
import type { CliEnvironment } from '../environment.ts';
import { CliError } from '../errors.ts';
import type { Input, Report } from '../report.ts';
import { type SignalWatch, watchPassedOn, watchSignals } from '../signals.ts';
import { printable } from '../terminal/printable.ts';
import { type RunPolicyOptions, readRunPolicy } from './run-policy.ts';
import { type CommandRun, endText, type RunAttempt, retryLine, runReport } from './run-report.ts';
import { type AttemptEnd, type RunningCommand, startCommand } from './start-command.ts';

/** The options of `retry run`. */
export interface RunOptions extends RunPolicyOptions {
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly killAfter: number;
  readonly foreground?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

interface Task {
  readonly args: readonly string[];
  readonly policy: Policy;
  readonly options: RunOptions;
  readonly environment: CliEnvironment;
  readonly signals: SignalWatch;
  /** Where signals go that say nothing about this program: to the latest attempt, which may have ended. */
  readonly passedOn: { to: (signal: NodeJS.Signals) => void };
  /** When it started, by the clock of this program. */
  readonly startedAt: number;
}

/** Runs a command until it succeeds or its policy ends the retrying. */
export async function runAction({ args, options, environment }: Input<RunOptions>): Promise<Report> {
  checkCommand(args);
  checkEncoding(args, environment);
  const policy = await readRunPolicy(options, environment);
  const signals = watchSignals();
  const startedAt = clock.now();
  const passedOn: Task['passedOn'] = { to: () => {} };
  const stop = watchPassedOn((signal) => passedOn.to(signal));
  try {
    const run = await repeat({ args, policy, options, environment, signals, passedOn, startedAt });
    const interrupt = signals.first();
    const whole = { ...run, totalMs: clock.now() - startedAt, ...(interrupt !== undefined && { interrupt }) };
    return runReport(whole, { quiet: options.quiet === true });
  } finally {
    stop();
    signals.close();
  }
}

/** Node refuses these by errors of its own. */
function checkCommand(args: readonly string[]): void {
  if (args[0] !== '' && !args.some((arg) => arg.includes('\0'))) return;
  const problem = 'the command must have a name, and no argument a NUL character';
  throw new CliError('WRONG_USAGE', `${problem}, got ${JSON.stringify(args.join(' '))}. Write it after --.`);
}

/** Stands for bytes that are not UTF-8, which Node replaces in what this program was given. */
const REPLACED = '\ufffd';

/** Refuses what would reach the command changed, as another name of a file for instance. */
function checkEncoding(args: readonly string[], { env }: CliEnvironment): void {
  const variable = Object.entries(env).find((entry) => entry.join('=').includes(REPLACED));
  const what = args.some((arg) => arg.includes(REPLACED))
    ? 'An argument of the command'
    : variable && `The variable ${variable[0]}`;
  if (what === undefined) return;
  const cure = 'Let a script of yours that has it run the command.';
  throw new CliError('WRONG_USAGE', `${what} is not UTF-8, and would be changed. ${cure}`);
}

async function repeat(task: Task): Promise<Omit<CommandRun, 'totalMs'>> {
  const { policy, signals } = task;
  const attempts: RunAttempt[] = [];
  if (!(await wait(settingsOf(policy).initialDelayMs, signals))) return { attempts, outcome: 'interrupted' };
  for (;;) {
    const end = { attempt: attempts.length + 1, ...(await attemptOnce(task, attempts.length + 1)) };
    if (end.exitStatus === 0 && !end.timedOut) return { attempts: [...attempts, end], outcome: 'succeeded' };
    if (signals.first() !== undefined) return { attempts: [...attempts, end], outcome: 'interrupted' };
    const decision = decideNext(task, attempts, end);
    if (decision.type === 'fail') {
      return { attempts: [...attempts, end], outcome: 'failed', reason: decision.reason };
    }
    const waiting = { ...end, delayMs: decision.delayMs };
    attempts.push(waiting);
    announce(task, waiting);
    if (!(await wait(decision.delayMs, signals))) return { attempts, outcome: 'interrupted' };
  }
}

async function attemptOnce(task: Task, attempt: number): Promise<AttemptEnd> {
  const { policy, options, environment, signals, startedAt } = task;
  const settings = settingsOf(policy);
  const leftMs = startedAt + settings.totalTimeoutMs - clock.now();
  const [command = '', ...args] = task.args;
  const started = startCommand({
    command,
    args,
    env: {
      ...environment.env,
      RETRY_ATTEMPT: `${attempt}`,
      RETRY_MAX_ATTEMPTS: `${allowedAttempts(settings)}`,
    },
    environment,
    limitMs: Math.max(1, Math.min(settings.attemptTimeoutMs, leftMs)),
    killAfterMs: options.killAfter,
    foreground: options.foreground === true,
  });
  const stop = signals.each((signal) => forward(started, signal, options));
  task.passedOn.to = started.send;
  try {
    return await started.ended;
  } finally {
    stop();
  }
}

/** A command in the foreground gets the signals of its terminal by itself. */
function forward(command: RunningCommand, signal: NodeJS.Signals, { foreground }: RunOptions): void {
  if (foreground === true && (signal === 'SIGINT' || signal === 'SIGQUIT')) return;
  command.send(signal);
}

function decideNext(task: Task, attempts: readonly RunAttempt[], end: RunAttempt): Decision {
  const { policy, environment, startedAt } = task;
  const now = clock.now();
  if (end.timedOut && now >= startedAt + settingsOf(policy).totalTimeoutMs) {
    return { type: 'fail', reason: 'total-timeout' };
  }
  const counters = { failures: attempts.length + 1, previousDelayMs: attempts.at(-1)?.delayMs };
  const failure = { error: errorOf(end, settingsOf(policy).attemptTimeoutMs), timedOut: end.timedOut };
  return decide(policy, counters, failure, { now, random: environment.random, startedAt });
}

/** Returns the error that a policy sees: its `code` is the exit status, or the name of the signal. */
function errorOf({ attempt, ...end }: RunAttempt, limitMs: number): Error {
  if (end.startError !== undefined) return new NonRetryableError(endText(end));
  if (end.timedOut) return new AttemptTimeoutError(limitMs, attempt);
  return Object.assign(new Error(endText(end)), { name: 'CommandError', code: end.signal ?? end.exitStatus });
}

function announce({ policy, options, environment }: Task, attempt: RunAttempt): void {
  if (options.quiet === true || options.json === true) return;
  const line = retryLine(attempt, allowedAttempts(settingsOf(policy)));
  environment.stderr.write(`${printable(line)}\n`);
}

/** Waits. @returns whether no signal came */
function wait(ms: number, signals: SignalWatch): Promise<boolean> {
  if (signals.first() !== undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (isWhole: boolean): void => {
      cancel();
      stop();
      resolve(isWhole);
    };
    const cancel = clock.setTimer(() => end(true), ms);
    const stop = signals.each(() => end(false));
  });
}
