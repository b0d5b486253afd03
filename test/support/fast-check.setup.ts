import fc from 'fast-check';
import { runsOfProperties } from './property-runs.ts';

fc.configureGlobal({ numRuns: runsOfProperties() });
