import { formatDuration } from '@retry/core';
import type { Answered, Answers, Question } from './engine/messages.ts';

/** The engine of the studio, in a worker. */
export interface Engine {
  /** @throws {Error} with the engine's message, or when the worker could not start or took too long */
  ask<Type extends Question['type']>(question: QuestionOf<Type>): Promise<Answers[Type]>;
  /** Ends the worker; questions without an answer stay so. */
  close(): void;
}

type QuestionOf<Type extends Question['type']> = Extract<Question, { readonly type: Type }>;

interface Waiting {
  readonly question: Question;
  readonly resolve: (answer: Answers[keyof Answers]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts a worker with the first question. One that takes longer than `withinMs` over a question is ended, and another one gets the
 * questions after it.
 */
export function createEngine(createWorker: () => Worker, withinMs?: number): Engine {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let asked = 0;
  const stop = (): void => {
    timer.stop();
    worker?.terminate();
    worker = undefined;
  };
  const post = (id: number, question: Question): void => {
    worker ??= listen(createWorker(), waiting, { answered: timer.start, failed: stop });
    worker.postMessage({ id, question });
  };
  const timer = createTimer(withinMs, (ms) => {
    if (waiting.size === 0) return;
    stop();
    rejectFirst(waiting, ms);
    for (const [id, { question }] of waiting) post(id, question);
    timer.start();
  });
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        asked += 1;
        // The engine answers a question of this type with the answer of the type: see Answers.
        waiting.set(asked, { question, resolve: resolve as Waiting['resolve'], reject });
        post(asked, question);
        if (waiting.size === 1) timer.start();
      }),
    close: stop,
  };
}

interface Timer {
  readonly start: () => void;
  readonly stop: () => void;
}

function createTimer(ms: number | undefined, late: (ms: number) => void): Timer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => clearTimeout(timer);
  const start = (): void => {
    stop();
    if (ms !== undefined) timer = setTimeout(late, ms, ms);
  };
  return { start, stop };
}

/** Questions are answered in their order, so the first one is what takes so long. */
function rejectFirst(waiting: Map<number, Waiting>, ms: number): void {
  const [first] = waiting;
  if (first === undefined) return;
  const [id, { reject }] = first;
  waiting.delete(id);
  reject(new Error(`It was ended after ${formatDuration(ms)} without an answer`));
}

interface Hooks {
  readonly answered: () => void;
  readonly failed: () => void;
}

function listen(worker: Worker, waiting: Map<number, Waiting>, { answered, failed }: Hooks): Worker {
  worker.addEventListener('message', ({ data }: MessageEvent<Answered>) => {
    const asker = waiting.get(data.id);
    waiting.delete(data.id);
    answered();
    if ('answer' in data) asker?.resolve(data.answer);
    else asker?.reject(new Error(data.problem));
  });
  worker.addEventListener('error', (event) => {
    failed();
    for (const { reject } of waiting.values()) reject(new Error(event.message || 'the worker did not start'));
    waiting.clear();
  });
  return worker;
}
