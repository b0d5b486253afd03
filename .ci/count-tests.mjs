/** Prints `passed failed` from vitest's JSON report; a file that could not even be loaded is one failure. */
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const isFailed = ({ status }) => status === 'failed';
const broken = report.testResults.filter((file) => isFailed(file) && !file.assertionResults.some(isFailed));
console.log(`${report.numPassedTests} ${report.numFailedTests + broken.length}`);
