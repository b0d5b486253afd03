import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as rest } from 'node:timers/promises';
import { FREEZE_MS, KILLS, PROCESSES } from './plan.ts';

/** The worker processes of one run of chaos. */
export interface Crew {
  /** Kills or freezes one of them at a random moment and starts another. */
  readonly strike: (how: 'kill' | 'freeze') => Promise<void>;
  readonly kills: () => number;
  readonly freezes: () => number;
  /** When they were struck, in epoch milliseconds. */
  readonly strikes: () => readonly number[];
  readonly stop: () => Promise<void>;
}

/** Starts the crew: each process runs the script with these arguments. */
export function startCrew(script: string, args: readonly string[]): Crew {
  const start = (): ChildProcess =>
    spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const crew = Array.from({ length: PROCESSES }, start);
  const counted = { kill: 0, freeze: 0 };
  const strikes: number[] = [];
  const kill = async (index: number): Promise<void> => {
    crew[index]?.kill('SIGKILL');
    crew[index] = start();
  };
  const freeze = async (index: number): Promise<void> => {
    const frozen = crew[index];
    frozen?.kill('SIGSTOP');
    await rest(FREEZE_MS);
    frozen?.kill('SIGCONT');
  };
  process.once('exit', () => {
    for (const worker of crew) worker.kill('SIGKILL');
  });
  return {
    strike: async (how) => {
      strikes.push(Date.now());
      counted[how] += 1;
      await (how === 'kill' ? kill : freeze)(Math.floor(Math.random() * crew.length));
    },
    kills: () => counted.kill,
    freezes: () => counted.freeze,
    strikes: () => strikes,
    stop: async () => {
      await Promise.all(
        crew.map((worker) => {
          const ended = new Promise((resolve) => worker.once('exit', resolve));
          worker.kill('SIGTERM');
          return ended;
        }),
      );
    },
  };
}

/** Whether there are kills left. */
export function isRaging(crew: Crew): boolean {
  return crew.kills() < KILLS;
}
