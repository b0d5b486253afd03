import type { Answered, Answers, Question } from './engine/messages.ts';

/** The engine of the studio, in a worker. */
export interface Engine {
  /** @throws {Error} with the engine's message, or when the worker could not start */
  ask<Type extends Question['type']>(question: QuestionOf<Type>): Promise<Answers[Type]>;
  /** Ends the worker; questions without an answer stay so. */
  close(): void;
}

type QuestionOf<Type extends Question['type']> = Extract<Question, { readonly type: Type }>;

interface Waiting {
  readonly resolve: (answer: Answers[keyof Answers]) => void;
  readonly reject: (error: Error) => void;
}

/** Starts a worker with the first question. */
export function createEngine(createWorker: () => Worker): Engine {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let asked = 0;
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        worker ??= listen(createWorker(), waiting);
        asked += 1;
        // The engine answers a question of this type with the answer of the type: see Answers.
        waiting.set(asked, { resolve: resolve as Waiting['resolve'], reject });
        worker.postMessage({ id: asked, question });
      }),
    close: () => worker?.terminate(),
  };
}

function listen(worker: Worker, waiting: Map<number, Waiting>): Worker {
  worker.addEventListener('message', ({ data }: MessageEvent<Answered>) => {
    const asker = waiting.get(data.id);
    waiting.delete(data.id);
    if ('answer' in data) asker?.resolve(data.answer);
    else asker?.reject(new Error(data.problem));
  });
  worker.addEventListener('error', (event) => {
    for (const { reject } of waiting.values()) reject(new Error(event.message || 'the worker did not start'));
    waiting.clear();
  });
  return worker;
}
