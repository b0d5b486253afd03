import { ARROWS } from './arrows.ts';
import { isEnd, RUN_STATES } from './run-state.ts';

/** The lifecycle as a Mermaid state diagram, drawn from the table of arrows. */
export function lifecycleDiagram(): string {
  const arrows = ARROWS.map(({ from, event, to }) => `  ${from} --> ${to} : ${event}`);
  const ends = RUN_STATES.filter(isEnd).map((state) => `  ${state} --> [*]`);
  return ['stateDiagram-v2', '  [*] --> unsubmitted', ...arrows, ...ends, ''].join('\n');
}
