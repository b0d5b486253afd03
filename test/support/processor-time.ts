/** Returns how long this process has computed, in ms: unlike the time of a clock, it does not grow with the work of others. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
