import type { HeaderLines } from "../page/HeaderFacts.ts"
import { headerOf } from "./Headers.ts"

const latin1 = new TextDecoder("latin1")

/** Marks of a page that asks the visitor to prove being human, at the edge in front of the site. */
const refusalMarks = [
  "/cdn-cgi/challenge-platform/",
  "_cf_chl_opt",
  "cf-browser-verification",
  "_incapsula_resource",
  "captcha-delivery.com",
  "px-captcha",
  "awswafintegration",
  "sucuri_cloudproxy_js",
  "ddos-guard",
  "/_sec/cp_challenge/"
]

/** The same among answers that claim success: only marks that an ordinary page never carries. */
const interstitialMarks = ["_cf_chl_opt", "captcha-delivery.com/c.js", "sucuri_cloudproxy_js", "window.gokuprops"]

const refusals = new Set([401, 403, 405, 429, 503])

const saysSo = (headers: HeaderLines): boolean =>
  headerOf(headers, "cf-mitigated")?.toLowerCase() === "challenge" ||
  headerOf(headers, "x-vercel-mitigated")?.toLowerCase() === "challenge" ||
  /^(?:challenge|captcha)$/i.test(headerOf(headers, "x-amzn-waf-action") ?? "")

/** Whether the answer is a bot challenge and so says nothing about the page. */
export const isChallenge = (status: number, headers: HeaderLines, body: Uint8Array): boolean => {
  if (saysSo(headers)) return true
  const marks = refusals.has(status) ? refusalMarks : status === 200 || status === 202 ? interstitialMarks : []
  // Interstitials are small; a long page that mentions a mark is an article about it.
  if (marks.length === 0 || (!refusals.has(status) && body.length > 32_768)) return false
  const text = latin1.decode(body.subarray(0, 65_536)).toLowerCase()
  return marks.some((mark) => text.includes(mark))
}
