/** Returns name and version of the task of a lane, by its parts: neither contains an @. */
export function taskOfLane(lane: string): { readonly name: string; readonly version: string } {
  const [name = '', version = ''] = lane.split('@');
  return { name, version };
}
