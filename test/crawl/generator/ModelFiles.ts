import { isInternal } from "./ModelReach.ts"
import { isAllowed } from "./ModelRobots.ts"
import type { Doc, FilePlan, Site } from "./Site.ts"

/** Images, styles and scripts of a document, as they are addressed. */
const partsOf = (doc: Doc): ReadonlyArray<string> =>
  doc.shell ? ["/app.js"] : [...doc.styles, ...doc.pictures, ...doc.resources]

/** What the parts of a document on its own site answer that are not in order, as far as robots.txt lets this crawler ask. */
export const ownFiles = (site: Site, doc: Doc, url: string): ReadonlyArray<FilePlan> =>
  partsOf(doc)
    .map((written) => new URL(written, doc.base === null ? url : new URL(doc.base, url)).href)
    .filter((part) => isInternal(site, part) && isAllowed(site, part))
    .flatMap((part) => site.files.get(part) ?? [])

/** Two GETs after a HEAD agree on the failure. */
const stays = ({ recovers = Number.POSITIVE_INFINITY }: FilePlan): boolean => recovers > 2

export const isBrokenFile = (site: Site, { to, ...plan }: FilePlan): boolean => {
  const end = to === undefined ? plan : site.files.get(new URL(to, site.origin).href)
  return end !== undefined && end.status >= 400 && stays(end)
}

export const isHeavyImage = (site: Site, doc: Doc, url: string): boolean =>
  ownFiles(site, { ...doc, resources: [], styles: [], shell: false }, url).some(
    ({ length, status }) => status === 200 && length > 300_000
  )

/** Links of a document that somebody follows to another site. */
export const linksElsewhere = (site: Site, doc: Doc): ReadonlyArray<string> =>
  doc.links.flatMap(({ element, kind, to }) =>
    kind === "page" && to !== null && element !== "iframe" && !isInternal(site, to) ? [to] : []
  )

/** Statuses that keep crawlers out of pages that people see. */
const walls = new Set([401, 403, 405, 406, 429, 451, 503, 999])

/** Everything that a run with `checkExternalLinks` may ask of other sites: what links name, what that redirects to, and robots.txt. */
export const askableElsewhere = (site: Site, targets: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    targets
      .flatMap((url) => [
        url,
        ...(site.elsewhere.get(url)?.to === undefined ? [] : [site.elsewhere.get(url)?.to ?? ""])
      ])
      .flatMap((url) => [url, new URL("/robots.txt", url).href])
  )

/** What a page of another site is to a crawler that may ask for it: redirects lead to the end that counts. */
export const elsewhereIs = ({ elsewhere }: Pick<Site, "elsewhere">, url: string): "sound" | "broken" | "unverified" => {
  const plan = elsewhere.get(url)
  if (new URL(url).host === "elsewhere.test") return "sound"
  const isKnown = [...elsewhere.keys()].some((known) => new URL(known).host === new URL(url).host)
  if (!isKnown || new URL(url).pathname.startsWith("/closed")) return "unverified"
  if (plan === undefined) return "broken"
  if (plan.to !== undefined) return elsewhereIs({ elsewhere }, plan.to)
  if (plan.status < 400 || !stays(plan)) return "sound"
  return walls.has(plan.status) ? "unverified" : "broken"
}
