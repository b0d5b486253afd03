/** Kinds that no runner answers yet, by system, and why. The report counts their cases. */
export const notYetCovered: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'aio-fluid': {},
  celery: {},
  jobbers: {},
  tasker: {},
  cmdx: {},
};
