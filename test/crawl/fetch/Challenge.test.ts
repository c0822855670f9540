import { describe, expect, test } from "bun:test"
import { isChallenge } from "../../../src/crawl/fetch/Confirm.ts"
import type { HeaderLines } from "../../../src/crawl/page/Headers.ts"

const text = "Sixty words of an article that people read. ".repeat(20)

interface Answer {
  readonly name: string
  readonly status: number
  readonly headers?: HeaderLines
  readonly body?: string
}

const challenges: ReadonlyArray<Answer> = [
  { name: "Cloudflare's header", status: 403, headers: [["CF-Mitigated", "challenge"]] },
  { name: "Cloudflare's page", status: 503, body: "<script>window._cf_chl_opt={}</script>" },
  { name: "DataDome", status: 403, body: "<script>var dd={'host':'geo.captcha-delivery.com'}</script>" },
  { name: "PerimeterX", status: 403, body: "<div id=px-captcha></div>" },
  { name: "AWS", status: 202, headers: [["x-amzn-waf-action", "challenge"]] },
  { name: "Kasada", status: 429, headers: [["x-kpsdk-ct", "abc"]] },
  { name: "Akamai with success", status: 200, body: "<div id=sec-if-cpt-container></div>" },
  {
    name: "Anubis",
    status: 200,
    body: "<link href=/.within.website/x/xess/xess.css><h1>Making sure you're not a bot!</h1>"
  },
  { name: "Imperva's empty page", status: 200, body: "<script src='/_Incapsula_Resource?SWJIYLWA=7'></script>" },
  {
    name: "Imperva's notice",
    status: 200,
    body: "<iframe src=/x>Request unsuccessful. Incapsula incident ID: 1</iframe>"
  },
  {
    name: "F5's notice",
    status: 200,
    body: "<title>Request Rejected</title>The requested URL was rejected. Support ID: 1"
  },
  {
    name: "F5's script",
    status: 200,
    body: '<script src="/TSPD/08a?type=9"></script><noscript>Please enable it</noscript>'
  }
]

const pages: ReadonlyArray<Answer> = [
  { name: "an article that names the marks", status: 200, body: `<p>window._cf_chl_opt and ${text}</p>` },
  { name: "a page with Imperva's script", status: 200, body: `${text}<script src=/_Incapsula_Resource?a></script>` },
  { name: "a page with F5's script", status: 200, body: `<script src=/TSPD/1></script><p>${text}</p>` },
  { name: "an article about a rejection", status: 200, body: `<p>The requested URL was rejected. ${text}</p>` },
  {
    name: "a page behind Cloudflare",
    status: 200,
    body: `${text}<script src=/cdn-cgi/challenge-platform/a.js></script>`
  },
  { name: "a plain refusal", status: 403, body: "<h1>Forbidden</h1>" },
  { name: "too many requests", status: 429, headers: [["Retry-After", "1"]] },
  { name: "an answer without content", status: 204 }
]

describe("a bot challenge", () => {
  for (const [answers, expected] of [
    [challenges, true],
    [pages, false]
  ] as const)
    for (const { body = "", headers = [], name, status } of answers)
      test(`${name} is ${expected ? "one" : "none"}`, () =>
        expect(isChallenge(status, headers, new TextEncoder().encode(body))).toBe(expected))
})
