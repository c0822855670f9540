import { gzipSync } from "node:zlib"
import type { OutboundRequest } from "../../../src/foundation/outbound/Outbound.ts"
import type { Reply } from "../site/MemoryOutbound.ts"
import { markup } from "./Markup.ts"
import type {
  AnswerPlan,
  Doc,
  FilePlan,
  RobotsFilePlan,
  RobotsGroupPlan,
  RobotsRulePlan,
  Site,
  SitemapFilePlan
} from "./Site.ts"
import { shellDoc, soundDoc } from "./Sound.ts"

type Headers = Array<readonly [string, string]>

const types: Readonly<Record<Doc["charset"], string>> = {
  header: "text/html; charset=utf-8",
  meta: "text/html",
  bom: "text/html",
  none: "text/html",
  late: "text/html",
  latin1: "text/html; charset=iso-8859-1"
}

const pageReply = (doc: Doc, code: string | null = null): Reply => {
  const headers: Headers = [["content-type", types[doc.charset]]]
  for (const { agent, content, place } of doc.robots) {
    if (place === "header") headers.push(["x-robots-tag", agent === null ? content : `${agent}: ${content}`])
  }
  for (const { place, written } of doc.canonicals) {
    if (place === "header") headers.push(["link", `<${written}>; rel="canonical"`])
  }
  for (const { language, place, written } of doc.hreflangs) {
    if (place === "header") headers.push(["link", `<${written}>; rel="alternate"; hreflang="${language}"`])
  }
  if (doc.refresh?.place === "header") headers.push(["refresh", `${doc.refresh.seconds};url=${doc.refresh.to}`])
  return { headers, body: markup(doc, code) }
}

const text = [["content-type", "text/plain"]] as const
const html = [["content-type", "text/html; charset=utf-8"]] as const
const huge = new Uint8Array(10 * 1024 * 1024 + 1).fill(97)
const challengePage = "<title>Just a moment</title><script>window._cf_chl_opt={}</script>"

/** The response of a URL at its n-th request. */
export const replyOf = (answer: AnswerPlan, asked: number): Reply => {
  switch (answer.kind) {
    case "page":
      return pageReply(answer.doc)
    case "redirect":
      return { status: answer.status, headers: answer.written === null ? [] : [["location", answer.written]] }
    case "error": {
      const retry = answer.retryAfter === undefined ? [] : ([["retry-after", answer.retryAfter]] as const)
      return { status: answer.status, headers: [...html, ...retry], body: "<h1>Error</h1>" }
    }
    case "challenge":
      return answer.how === "header"
        ? { status: 403, headers: [...html, ["cf-mitigated", "challenge"]], body: "wait" }
        : { status: 503, headers: html, body: challengePage }
    case "fault":
      return { fault: answer.fault, ...(answer.fault === "timeout" ? { delay: 12_000 } : {}) }
    case "file":
      return {
        headers: [
          ["content-type", "application/pdf"],
          ...(answer.hides ? ([["x-robots-tag", "noindex"]] as const) : [])
        ],
        body: "%PDF-1.7"
      }
    case "huge":
      return { headers: html, body: huge }
    case "missing":
      return { status: 404, headers: html, body: "<title>Not found</title><h1>Not found</h1>" }
    case "recovering":
      return replyOf(asked < answer.times ? answer.first : answer.finally, asked)
  }
}

const ruleLines = (rules: ReadonlyArray<RobotsRulePlan>): ReadonlyArray<string> =>
  rules.length === 0
    ? ["Disallow:"]
    : rules.map(({ allow, field = allow ? "Allow:" : "Disallow:", pattern }) => `${field} ${pattern}`)

const groupLines = ({ agents, behind, between, field = "User-agent:", rules }: RobotsGroupPlan) => [
  ...agents.flatMap((agent, at) => [...(at > 0 && between !== undefined ? [between] : []), `${field} ${agent}`]),
  ...ruleLines(rules),
  ...(behind === undefined ? [] : [behind]),
  ""
]

const robotsText = ({ groups, overlong, rules, sitemaps, strange }: RobotsFilePlan): string =>
  [
    "# Who may read what",
    "User-agent: OtherBot",
    "Disallow: /",
    "",
    ...groups.flatMap(groupLines),
    "User-agent: *",
    ...ruleLines(rules),
    ...strange.map(({ line }) => line),
    "",
    ...sitemaps.map((url) => `Sitemap: ${url}`),
    ...(overlong ? ["# filling ".repeat(55_000)] : []),
    ""
  ].join("\n")

const robotsReply = (plan: RobotsFilePlan): Reply => {
  if (plan.kind === "parsed" && plan.isHtml)
    return { headers: html, body: "<!DOCTYPE html>\n<html><body>Welcome</body></html>" }
  return plan.kind === "parsed"
    ? { headers: text, body: robotsText(plan) }
    : { status: plan.status, headers: text, body: "" }
}

const escaped = (url: string): string => url.replaceAll("&", "&amp;")
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** The language versions of a page as its sitemap entry names them. */
const versionsText = (site: Site, url: string): string => {
  const answer = site.answers.get(url)
  const versions = answer?.kind === "page" ? answer.doc.hreflangs.filter(({ place }) => place === "sitemap") : []
  return versions
    .map(({ language, written }) => `<xhtml:link rel="alternate" hreflang="${language}" href="${escaped(written)}"/>`)
    .join("")
}

/** The text before a file: blank space is allowed before a list in text, but not before <?xml. */
const aheadOf: Partial<Record<SitemapFilePlan["fault"], string>> = {
  text_ahead: "<br />\n<b>Warning</b>: Undefined variable in <b>/srv/sitemap.php</b><br />\n",
  blank_ahead: "\n \r\n"
}

const sitemapText = (site: Site, plan: SitemapFilePlan): string => {
  if (plan.fault === "empty") return ""
  if (plan.fault === "not_a_sitemap") return "<!doctype html><html><body>Welcome</body></html>"
  return `${aheadOf[plan.fault] ?? ""}${entriesText(site, plan)}`
}

const entriesText = (site: Site, { breach, fault, form, hints, kind, listed }: SitemapFilePlan): string => {
  const end = fault === "malformed" ? (breach ?? "<url><loc>") : fault === "undeclared" ? `<x:note xsi:type="y"/>` : ""
  if (kind === "index") {
    const files = listed.map((url) => `<sitemap><loc>${escaped(url)}</loc></sitemap>`)
    return `${xmlHead}<sitemapindex ${namespace}>${files.join("\n")}${end}</sitemapindex>`
  }
  switch (form) {
    case "text":
      return listed.join("\n")
    case "rss":
      return `${xmlHead}<rss version="2.0"><channel>${listed.map((url) => `<item><link>${escaped(url)}</link></item>`).join("")}</channel></rss>`
    case "atom":
      return `${xmlHead}<feed xmlns="http://www.w3.org/2005/Atom">${listed.map((url) => `<entry><link href="${escaped(url)}"/></entry>`).join("")}</feed>`
    case "xml":
      return `${xmlHead}<urlset ${namespace} xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">\n${listed.map((url) => `<url><loc> ${escaped(url)} </loc>${hints?.text ?? ""}${versionsText(site, url)}</url>`).join("\n")}${end}</urlset>`
  }
}

/** A file as gzip: its members, and the bytes after them. */
const packedText = (
  file: string,
  { members, padding }: NonNullable<SitemapFilePlan["packed"]>,
  behind: string
): Uint8Array => {
  const bytes = Buffer.from(file)
  const size = Math.ceil(bytes.length / members)
  const parts = Array.from({ length: members }, (_, at) => gzipSync(bytes.subarray(at * size, (at + 1) * size)))
  return Buffer.concat([...parts, Buffer.alloc(padding), Buffer.from(behind)])
}

const sitemapReply = (site: Site, plan: SitemapFilePlan): Reply => {
  if (plan.fault === "absent") return { status: 404, headers: text, body: "nothing" }
  if (plan.fault === "error") return { status: 500, headers: text, body: "oh" }
  const type = plan.fault === "not_a_sitemap" ? "text/html" : plan.form === "text" ? "text/plain" : "application/xml"
  const packed = plan.fault === "trailing" ? (plan.packed ?? { members: 1, padding: 0 }) : plan.packed
  const file = sitemapText(site, plan)
  const body =
    packed === undefined ? file : packedText(file, packed, plan.fault === "trailing" ? "<!-- from the cache -->" : "")
  return { headers: [["content-type", type]], body }
}

const missingReply = ({ answers, missing, origin }: Site): Reply => {
  const front = answers.get(`${origin}/`)
  if (missing === "front_page" && front !== undefined) return replyOf(front, 0)
  if (missing === "not_found" || front === undefined) return replyOf({ kind: "missing" }, 0)
  return pageReply(templateDoc(origin))
}

/** The page that a site with a soft error template shows for unknown paths. */
export const templateDoc = (origin: string): Doc => ({
  ...soundDoc({ url: `${origin}/lost`, title: "Something else", description: "Look around", text: [] }),
  canonicals: [],
  isErrorPage: true,
  words: "we looked everywhere and there is nothing here so please go on from the start of this site".split(" ")
})

/** A page of a scripted site is its shell. */
const drawn = (site: Site, plan: AnswerPlan): AnswerPlan => {
  if (!site.drawnByScript) return plan
  if (plan.kind === "recovering") return { ...plan, finally: drawn(site, plan.finally) }
  return plan.kind === "page" || plan.kind === "missing" ? { kind: "page", doc: shellDoc(site.origin) } : plan
}

/** Whether a URL is that of an image, style or script. */
export const namesPart = (url: URL): boolean => /\.(?:png|jpe?g|svg|webp|gif|css|js)$/.test(url.pathname)

const soundFile: FilePlan = { status: 200, length: 900, head: "same" }

const fileReply = (plan: FilePlan, method: OutboundRequest["method"], asked: number): Reply => {
  if (method === "HEAD" && plan.head !== "same") return { status: plan.head === "refused" ? 405 : 404, headers: [] }
  if (plan.to !== undefined) return { status: plan.status, headers: [["location", plan.to]] }
  const status = asked < (plan.recovers ?? Number.POSITIVE_INFINITY) ? plan.status : 200
  const headers = [
    ["content-type", "application/octet-stream"],
    ["content-length", `${plan.length}`]
  ] as const
  return status === 200 ? { headers, body: new Uint8Array(plan.length) } : { status, headers: html, body: "" }
}

/** The response of another site's page; one site always exists, and unplanned ones do not. */
export const answerElsewhere = (
  { elsewhere }: Site,
  url: URL,
  method: OutboundRequest["method"],
  asked: number
): Reply => {
  const plan = elsewhere.get(url.href)
  if (plan !== undefined) return fileReply(plan, method, asked)
  if (url.host === "elsewhere.test") return fileReply(soundFile, method, asked)
  const isKnown = [...elsewhere.keys()].some((known) => new URL(known).host === url.host)
  if (!isKnown) return { fault: "dns" }
  return url.pathname === "/robots.txt"
    ? { headers: text, body: "User-agent: *\nDisallow: /closed" }
    : replyOf({ kind: "missing" }, 0)
}
/** Milliseconds until the first byte of a URL's response. */
export const firstByteOf = ({ answers, firstBytes }: Site, url: string): number =>
  firstBytes[Math.max(0, [...answers.keys()].indexOf(url)) % firstBytes.length] ?? 0

/** The site's response to a URL at its n-th request. */
export const answer = (site: Site, url: URL, asked: number, method: OutboundRequest["method"] = "GET"): Reply => {
  if (namesPart(url)) return fileReply(site.files.get(url.href) ?? soundFile, method, asked)
  if (url.pathname === "/robots.txt") return robotsReply(site.robots)
  const sitemap = site.sitemaps.find((file) => file.url === url.href)
  if (sitemap !== undefined) return sitemapReply(site, sitemap)
  const scripted = site.scripted.get(url.href)
  if (scripted !== undefined) return pageReply(scripted.sent, scripted.code)
  const plan = drawn(site, site.answers.get(url.href) ?? { kind: "missing" })
  const reply = plan.kind === "missing" ? missingReply(site) : replyOf(plan, asked)
  return { ...reply, firstByte: firstByteOf(site, url.href) }
}
