import { complete } from './complete.ts';
import { simulateHerd } from './herd.ts';
import { inspect } from './inspect.ts';
import type { Answered, Answers, Asked, Question } from './messages.ts';
import { convertSystem, listSystems } from './read-system.ts';
import { replayPasted } from './replay-pasted.ts';

/** Answers a question of the page, or says why it cannot. */
export function answerQuestion({ id, question }: Asked): Answered {
  try {
    return { id, answer: answerOf(question) };
  } catch (error) {
    return { id, problem: error instanceof Error ? error.message : String(error) };
  }
}

function answerOf(question: Question): Answers[keyof Answers] {
  switch (question.type) {
    case 'inspect':
      return inspect(question.text, question.options);
    case 'complete':
      return complete(question.text, question.caret);
    case 'herd':
      return simulateHerd(question.texts, question.world);
    case 'replay':
      return replayPasted(question.texts, question.pasted);
    case 'systems':
      return listSystems();
    case 'from':
      return convertSystem(question.system, question.text);
  }
}
