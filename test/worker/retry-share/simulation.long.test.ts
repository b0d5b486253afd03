// The other rows of the table are simulated at night.
import { describe, it } from 'vitest';
import { expectRow } from './rows.ts';

describe('an outage for which half of the runs fail three times', () => {
  it.each(['without a share', 'with a tenth'] as const)('has the figures of the documentation %s', expectRow);
});
