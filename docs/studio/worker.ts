/** The engine of the studio: it runs in a worker, so that no simulation delays a key, and holds the page's only copy of core. */
import { answerQuestion } from './engine/answer-question.ts';
import type { Asked } from './engine/messages.ts';

addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  postMessage(answerQuestion(data));
});
