/** Everything that must be green before a commit, cheapest first; stops at the first step that fails. */
import { run } from './run.mjs';

const steps = ['lint', 'types', 'test:all', 'build', 'size', 'check:packages'];

for (const step of steps) {
  console.log(`\n# ${step}`);
  const { code } = run('npm', ['run', '--silent', step], { show: true, shell: process.platform === 'win32' });
  if (code !== 0) {
    console.error(`\ncheck failed at: ${step}`);
    process.exit(code);
  }
}
console.log(`\ncheck passed: ${steps.join(', ')}`);
