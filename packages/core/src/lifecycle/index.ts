export type { Arrow, DeadLetterState, EventFrom, StateAfter } from './arrows.ts';
export { ARROWS, DEAD_LETTER_STATES, isDeadLetter, lifecycleDiagram } from './arrows.ts';
export type { RunEvent, RunEventType } from './run-event.ts';
export type { EndState, RunRecord, RunState } from './run-state.ts';
export { END_STATES, isEnd, NEW_RUN, RUN_STATES } from './run-state.ts';
export type { Transition } from './transition.ts';
export { transition } from './transition.ts';
