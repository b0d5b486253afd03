import type { Figures, FiguresQuery, ReadFigures } from '../../insight/figures.ts';

/** The functions by which a broker answers each kind of figures. */
export type FigureSources = {
  readonly [Kind in Exclude<keyof Figures, 'memory'>]: (
    query: NonNullable<FiguresQuery[Kind]>,
  ) => Promise<Figures[Kind]>;
} & {
  /** Absent: the memory of the server is not limited. */
  readonly memory?: () => Promise<Figures['memory']>;
};

/** Returns the verb that asks these functions, at the same time, for what its query names. */
export function figuresBy(sources: FigureSources): ReadFigures {
  return async ({ lanes, attempts, dueTimes, groups, memory }) => {
    const answers = await Promise.all([
      lanes && answerAs('lanes', sources.lanes(lanes)),
      attempts && answerAs('attempts', sources.attempts(attempts)),
      dueTimes && answerAs('dueTimes', sources.dueTimes(dueTimes)),
      groups && answerAs('groups', sources.groups(groups)),
      memory && answerAs('memory', sources.memory?.()),
    ]);
    return Object.assign({}, ...answers); // an answer to each that was asked
  };
}

async function answerAs<Kind extends keyof Figures>(
  kind: Kind,
  answer: Promise<Figures[Kind]> | undefined,
): Promise<Partial<Figures>> {
  return { [kind]: await answer };
}
