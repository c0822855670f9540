import type { EvidenceItem, Finding } from "./Finding.ts"

/** The evidence on each failing URL of a finding: its own item, else that of the site-wide cause it shares, of several the first. */
export const evidenceOn = ({ evidence: { items } }: Finding): ((url: string) => EvidenceItem | undefined) => {
  const own = new Map(items.flatMap((item) => (item.shared_by === undefined ? [[item.url, item]] : [])))
  const shared = items.filter(({ shared_by }) => shared_by !== undefined)
  return (url) => own.get(url) ?? shared.find(({ sample }) => sample?.includes(url)) ?? shared[0]
}

/** One rule failing on one URL, with what is said of it; empty where nothing is. */
interface Unit extends Pick<Finding, "rule" | "category" | "severity"> {
  readonly url: string
  readonly detail: string
}

/** Every URL that fails each of the rules. */
export const unitsOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<Unit> =>
  findings.flatMap((finding) => {
    const { category, pages, rule, severity } = finding
    const itemOn = evidenceOn(finding)
    return pages.map((url) => ({ rule, category, severity, url, detail: itemOn(url)?.detail ?? "" }))
  })
