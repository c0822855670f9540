import type { EvidenceItem, Finding } from "./Finding.ts"

/**
 * What a finding says of each of its pages: its own item; else the cause that it shares with other pages, where the item of that cause names it, or where there
 * is only one such cause. Undefined where it is not known which of several causes the page has.
 */
export const evidenceFor = ({ evidence: { items } }: Finding): ((url: string) => EvidenceItem | undefined) => {
  const shared = items.filter(({ shared_by }) => shared_by !== undefined)
  const known = new Map(
    [...shared, ...items.filter(({ shared_by }) => shared_by === undefined)].flatMap((item) =>
      [item.url, ...(item.sample ?? [])].map((url) => [url, item] as const)
    )
  )
  const common = shared.length === 1 ? shared[0] : undefined
  return (url) => known.get(url) ?? common
}
