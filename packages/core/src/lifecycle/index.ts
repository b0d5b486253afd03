export type { Arrow, EventFrom, StateAfter } from './arrows.ts';
export { ARROWS, isDeadLetter, lifecycleDiagram } from './arrows.ts';
export type { RunEvent, RunEventType } from './run-event.ts';
export type { EndState, RunRecord, RunState } from './run-state.ts';
export { isEnd, NEW_RUN, RUN_STATES } from './run-state.ts';
export type { Transition } from './transition.ts';
export { transition } from './transition.ts';
