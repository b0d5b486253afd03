import { type ChildProcess, spawn } from 'node:child_process';
import { clock, pause } from '../clock.ts';
import type { CliEnvironment } from '../environment.ts';

/** A command to run, and the limits of one attempt. */
interface CommandStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: CliEnvironment['env'];
  readonly environment: CliEnvironment;
  /** The longest time that it may run; `Infinity`: no limit. */
  readonly limitMs: number;
  /** How long after SIGTERM it is killed. */
  readonly killAfterMs: number;
  /** Whether it stays in the process group of this program. */
  readonly foreground: boolean;
}

/** How an attempt ended. */
export interface AttemptEnd {
  readonly exitStatus: number | null;
  readonly signal: string | null;
  /** Whether it was ended because it took longer than its limit. */
  readonly timedOut: boolean;
  /** The code of the error by which it could not be started: `ENOENT`, `EACCES`. */
  readonly startError?: string;
  readonly durationMs: number;
}

/** A command that runs. */
export interface RunningCommand {
  readonly ended: Promise<AttemptEnd>;
  /** Sends a signal to the command and what it has started. */
  readonly send: (signal: NodeJS.Signals) => void;
}

/** How often it is seen whether what a command left behind has ended. */
const GROUP_POLL_MS = 20;

/**
 * Starts a command in a process group of its own, so that a timeout ends everything that it started.
 *
 * At the limit the group gets SIGTERM, and SIGKILL after `killAfterMs`; `ended` waits until the group is gone, so that two
 * attempts never run at the same time.
 */
export function startCommand(start: CommandStart): RunningCommand {
  const startedAt = performance.now();
  const child = spawnCommand(start);
  if ('startError' in child) {
    const end = { exitStatus: null, signal: null, timedOut: false, durationMs: 0, ...child };
    return { ended: Promise.resolve(end), send: () => {} };
  }
  const send: Send = (signal) => sendTo(child, signal, isGrouped(start));
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const limit = limitTime(send, start, hasExited);
  const ended = endOf(child, start).then(async (end) => {
    limit.cancel();
    if (limit.hasPassed()) await endGroup(send, start);
    return { ...end, timedOut: limit.hasPassed(), durationMs: performance.now() - startedAt };
  });
  return { ended, send: (signal) => void send(signal) };
}

/** Sends a signal, or 0 to look. @returns whether there was something to send to */
type Send = (signal: NodeJS.Signals | 0) => boolean;

/** How long a limit that is noticed late waits for the end of the command, at most: as long as it is late. */
const LATE_MS = 100;

/** Ends the command when its time is over. */
function limitTime(send: Send, { limitMs, killAfterMs }: CommandStart, hasExited: () => boolean) {
  let hasPassed = false;
  if (limitMs === Infinity) return { hasPassed: () => false, cancel: () => {} };
  const end = (): void => {
    if (hasExited()) return;
    hasPassed = true;
    send('SIGTERM');
    cancel = clock.setTimer(() => void send('SIGKILL'), killAfterMs);
  };
  const endsAt = clock.now() + limitMs;
  let cancel = clock.setTimer(() => {
    // A program that was stopped learns of the end of its command after its timers, and by another thread: the command may have been in time.
    cancel = clock.setTimer(end, Math.min(clock.now() - endsAt, LATE_MS));
  }, limitMs);
  return { hasPassed: () => hasPassed, cancel: () => cancel() };
}

/** Waits until everything that the command started has ended; kills what has not. */
async function endGroup(send: Send, start: CommandStart): Promise<void> {
  if (!isGrouped(start)) return;
  const deadlineAt = performance.now() + start.killAfterMs;
  while (send(0) && performance.now() < deadlineAt) await pause(GROUP_POLL_MS);
  send('SIGKILL');
}

function isGrouped({ foreground }: CommandStart): boolean {
  return !foreground && process.platform !== 'win32';
}

/** Some errors of a start Node emits later, others (`ENOTDIR`, `E2BIG`) it throws. */
function spawnCommand(start: CommandStart): ChildProcess | Required<Pick<AttemptEnd, 'startError'>> {
  try {
    return spawnChild(start);
  } catch (error) {
    const isOfSystem = error instanceof Error && 'syscall' in error && 'code' in error;
    if (!isOfSystem) throw error;
    return { startError: String(error.code) };
  }
}

function spawnChild(start: CommandStart): ChildProcess {
  const { command, args, env, environment } = start;
  const isOwn = environment.stdout === process.stdout;
  const child = spawn(command, args, {
    cwd: environment.cwd,
    env: { ...env },
    detached: isGrouped(start),
    // The command has the streams of this program themselves: nothing is copied, and a terminal stays a terminal.
    stdio: isOwn ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => environment.stdout.write(text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => environment.stderr.write(text));
  return child;
}

type Ended = Pick<AttemptEnd, 'exitStatus' | 'signal' | 'startError'>;

function endOf(child: ChildProcess, { environment }: CommandStart): Promise<Ended> {
  // What a command leaves behind in the background may hold streams open for long.
  const event = environment.stdout === process.stdout ? 'exit' : 'close';
  return new Promise((resolve) => {
    child.once(event, (exitStatus: number | null, signal: string | null) => resolve({ exitStatus, signal }));
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined)
        resolve({ exitStatus: null, signal: null, startError: error.code ?? 'unknown' });
    });
  });
}

/** Returns whether there was something to send to. */
function sendTo(child: ChildProcess, signal: NodeJS.Signals | 0, isGroup: boolean): boolean {
  if (child.pid === undefined) return false;
  try {
    return isGroup ? process.kill(-child.pid, signal) : child.kill(signal);
  } catch {
    return false; // it has ended, or has become another user's
  }
}
