/** Kinds without a runner, by system, with the reason. The report counts their cases. */
export const notYetCovered: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'aio-fluid': {},
  celery: {},
  jobbers: {},
  tasker: {},
  cmdx: {},
};
