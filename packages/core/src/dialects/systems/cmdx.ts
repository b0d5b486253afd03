import { fromCmdx } from '../cmdx/from-cmdx.ts';
import { described } from '../option.ts';
import { describeSystem, type System } from '../system.ts';

/** CMDx: what `fromCmdx` reads. */
export const cmdx: System = /* @__PURE__ */ describeSystem(
  {
    name: 'cmdx',
    title: 'CMDx',
    version: '2.0',
    fidelity: 'exact',
    options: {
      retry_on: described(
        'object',
        '–',
        'a declaration, or a list of them: exceptions, limit, delay, max_delay, jitter, if, unless',
      ),
    },
  },
  (options) => fromCmdx(options),
);
