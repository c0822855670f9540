import { isInternal } from "./ModelReach.ts"
import { isAllowed } from "./ModelRobots.ts"
import type { Doc, FilePlan, Site } from "./Site.ts"

/** URLs of a document's images, styles and scripts. */
const partsOf = (doc: Doc): ReadonlyArray<string> =>
  doc.shell ? ["/app.js"] : [...doc.styles, ...doc.photos, ...doc.resources]

/** The failing files of a document on its own site, as far as robots.txt allows requests. */
export const ownFiles = (site: Site, doc: Doc, url: string): ReadonlyArray<FilePlan> =>
  partsOf(doc)
    .map((written) => new URL(written, doc.base === null ? url : new URL(doc.base, url)).href)
    .filter((part) => isInternal(site, part) && isAllowed(site, part))
    .flatMap((part) => site.files.get(part) ?? [])

/** Two GETs after a HEAD confirm the failure. */
const stays = ({ recovers = Number.POSITIVE_INFINITY }: FilePlan): boolean => recovers > 2

export const isBrokenFile = (site: Site, { to, ...plan }: FilePlan): boolean => {
  const end = to === undefined ? plan : site.files.get(new URL(to, site.origin).href)
  return end !== undefined && end.status >= 400 && stays(end)
}

export const isHeavyImage = (site: Site, doc: Doc, url: string): boolean =>
  ownFiles(site, { ...doc, resources: [], styles: [], shell: false }, url).some(
    ({ length, status }) => status === 200 && length > 300_000
  )

/** Followable links of a document to other sites. */
export const linksElsewhere = (site: Site, doc: Doc): ReadonlyArray<string> =>
  doc.links.flatMap(({ element, kind, to }) =>
    kind === "page" && to !== null && element !== "iframe" && !isInternal(site, to) ? [to] : []
  )

/** Statuses that block crawlers on pages visible to people. */
const walls = new Set([401, 403, 405, 406, 429, 451, 503, 999])

/** All requests of a crawl with `checkExternalLinks` to other sites: targets of links, their redirects, and robots.txt. */
export const askableElsewhere = (site: Site, targets: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    targets
      .flatMap((url) => [
        url,
        ...(site.elsewhere.get(url)?.to === undefined ? [] : [site.elsewhere.get(url)?.to ?? ""])
      ])
      .flatMap((url) => [url, new URL("/robots.txt", url).href])
  )

/** The result for an external page that may be requested: the end of its redirects counts. */
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
