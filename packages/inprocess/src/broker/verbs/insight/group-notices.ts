import type { GroupNotice } from '@retry/core/broker';
import { compareText, noticeKind, OTHER_GROUP } from '@retry/core/broker/kit';
import type { Group, Store } from '../../record/store.ts';

/** Returns the groups that are new or have doubled, and keeps their counts as noticed. Forgets groups that are empty. */
export function claimGroupNotices(store: Store): readonly GroupNotice[] {
  const notices: GroupNotice[] = [];
  const marks = new Map<string, ReadonlyMap<string, number>>();
  for (const [lane, groups] of store.groups) {
    const known = store.groupMarks.get(lane);
    const own = new Map<string, number>();
    for (const group of groups.values()) {
      const noticed = known?.get(group.id);
      const kind = noticeKind(group.count, noticed);
      if (kind !== undefined) notices.push(noticeOf(group, kind));
      own.set(group.id, kind === undefined && noticed !== undefined ? noticed : group.count);
    }
    marks.set(lane, own);
  }
  store.groupMarks = marks;
  return notices.sort((left, right) => compareText(left.lane, right.lane) || compareText(left.id, right.id));
}

function noticeOf({ latestId, ...group }: Group, kind: GroupNotice['kind']): GroupNotice {
  return { kind, ...group, sampleId: latestId, isOther: group.id === OTHER_GROUP.id };
}
