import { type HeaderLines, headerOf } from "../page/HeaderFacts.ts"

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

/** The same in the scripts and tags of answers that claim success: only marks that an ordinary page never carries. */
const interstitialMarks = [
  "_cf_chl_opt",
  "captcha-delivery.com/c.js",
  "sucuri_cloudproxy_js",
  "window.gokuprops",
  "/_sec/cp_challenge/",
  "sec-if-cpt-container",
  "/.within.website/x/"
]

/** Marks that guarded sites put on every page: without any text beside them nothing but the guard was sent. */
const guardMarks = ["_incapsula_resource", "/tspd/", "bobcmn"]

/** What a guard says in place of the page. */
const rejections = ["the requested url was rejected", "incapsula incident id"]

const refusals = new Set([401, 403, 405, 429, 503])

const saysSo = (status: number, headers: HeaderLines): boolean =>
  headerOf(headers, "cf-mitigated")?.toLowerCase() === "challenge" ||
  headerOf(headers, "x-vercel-mitigated")?.toLowerCase() === "challenge" ||
  /^(?:challenge|captcha)$/i.test(headerOf(headers, "x-amzn-waf-action") ?? "") ||
  (status === 429 && headerOf(headers, "x-kpsdk-ct") !== null)

/** Longest text, in characters, that a guard sends. */
const maxNotice = 500

const isInterstitial = (text: string): boolean => {
  const isMarked = [...interstitialMarks, ...guardMarks, ...rejections].some((mark) => text.includes(mark))
  if (!isMarked) return false
  // An article about a guard names its marks in its text, where they do nothing.
  const code = (text.match(/<(?:script\b[^>]*>[\s\S]*?(?:<\/script|$)|(?!meta\b)[a-z][^>]*>)/g) ?? []).join("\n")
  if (interstitialMarks.some((mark) => code.includes(mark))) return true
  const shown = text
    .replace(/<(script|style|noscript|title)\b[\s\S]*?(?:<\/\1\s*>|$)/g, " ")
    .replace(/<[^>]*>/g, " ")
    .trim()
  if (shown === "" && guardMarks.some((mark) => code.includes(mark))) return true
  return shown.length <= maxNotice && rejections.some((words) => shown.includes(words))
}

/** Whether the answer is a bot challenge and so says nothing about the page. */
export const isChallenge = (status: number, headers: HeaderLines, body: Uint8Array): boolean => {
  if (saysSo(status, headers)) return true
  if (!refusals.has(status)) {
    // Interstitials are small; a long page that carries a mark is a page.
    if ((status !== 200 && status !== 202) || body.length > 32_768) return false
    return isInterstitial(latin1.decode(body).toLowerCase())
  }
  const text = latin1.decode(body.subarray(0, 65_536)).toLowerCase()
  return refusalMarks.some((mark) => text.includes(mark))
}
