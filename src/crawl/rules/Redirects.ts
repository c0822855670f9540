import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import { hopOf } from "../analysis/RedirectChain.ts"
import { healthStateOf } from "../report/States.ts"
import { sawEverything } from "./Gates.ts"
import { redirects as guidance } from "./guidance/Redirects.ts"
import { perPage, perUrl, type Rule } from "./Rule.ts"
import { linkedPages } from "./Targets.ts"

const isRedirect = ({ reason }: AnalysedPage): boolean => healthStateOf[reason] === "redirect"
const nothing = "no URL of the site redirects"
const google = "Google Search Central, Redirects and Google Search"

const shown = ({ chain, url }: AnalysedPage): string => [url, ...chain.hops].join(" → ")

export const redirects: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "redirect_loop",
      category: "redirects",
      severity: "critical",
      means: "Redirects come back to where they began, or do not settle within ten hops, so no visitor reaches a page.",
      fix: "Correct the rule that sends the address back; often two rules for scheme, host or slash contradict each other.",
      source: "RFC 9110 §15.4",
      guidance: guidance.redirect_loop
    },
    isRedirect,
    (page) => (page.reason === "redirect_loop" ? shown(page) : null),
    { nothing, gate: sawEverything }
  ),
  perUrl(
    {
      id: "redirect_to_error",
      name: "Redirect to an error",
      category: "redirects",
      severity: "critical",
      means: "A redirect ends on a page that answers an error.",
      fix: "Point the redirect at a page that exists, or answer 410 at the old address.",
      source: google,
      restsOn: "confirmed",
      guidance: guidance.redirect_to_error
    },
    isRedirect,
    (page, site) => {
      const target = page.chain.target === null ? undefined : site.find(page.chain.target.url)
      return target !== undefined && healthStateOf[target.reason] === "failed" ? shown(page) : null
    },
    { nothing, gate: sawEverything }
  ),
  perUrl(
    {
      id: "redirect_chain",
      category: "redirects",
      severity: "warning",
      means: "A redirect leads to another redirect. Each hop costs time and part of the crawl budget.",
      fix: "Redirect straight to the last address.",
      source: google,
      guidance: guidance.redirect_chain
    },
    isRedirect,
    (page) => (page.reason !== "redirect_loop" && page.chain.hops.length > 1 ? shown(page) : null),
    { nothing, gate: sawEverything }
  ),
  perUrl(
    {
      id: "redirect_temporary",
      name: "Temporary redirect",
      category: "redirects",
      severity: "info",
      means: "A temporary redirect keeps the old address in the index.",
      fix: "Answer 301 or 308 when the move is final.",
      source: `${google}; RFC 9110 §15.4.3, §15.4.8`,
      guidance: guidance.redirect_temporary
    },
    isRedirect,
    (page) => (page.reason === "redirect_temporary" ? `${page.visit?.status ?? ""} ${shown(page)}` : null),
    { nothing }
  ),
  perUrl(
    {
      id: "redirect_offsite",
      name: "Redirect to another site",
      category: "redirects",
      severity: "info",
      means: "An address of the site redirects to another site.",
      fix: "Link to the other site directly, or check that the redirect is meant.",
      source: google,
      restsOn: "own",
      guidance: guidance.redirect_offsite
    },
    isRedirect,
    (page) => (page.reason === "redirect_offsite" ? shown(page) : null),
    { nothing }
  ),
  perUrl(
    {
      id: "redirect_without_target",
      category: "redirects",
      severity: "warning",
      means: "A redirect status comes without a usable Location, so it cannot be followed.",
      fix: "Send a Location header with a valid URL, or another status.",
      source: "RFC 9110 §10.2.2",
      restsOn: "own",
      guidance: guidance.redirect_without_target
    },
    isRedirect,
    (page) => (page.visit?.redirect !== null && page.visit?.redirect?.to === null ? `${page.visit.status}` : null),
    { nothing }
  ),
  perUrl(
    {
      id: "redirect_downgrade",
      category: "redirects",
      severity: "warning",
      means: "An https address redirects to http, so the visitor's connection loses its protection.",
      fix: "Redirect to the https address.",
      source: "RFC 6797 §7.2; RFC 9110 §4.2.2",
      restsOn: "own",
      guidance: guidance.redirect_downgrade
    },
    isRedirect,
    (page) =>
      page.url.startsWith("https:") && hopOf(page.record)?.to?.startsWith("http:") === true ? shown(page) : null,
    { nothing }
  ),
  perPage(
    {
      id: "link_to_redirect",
      name: "Link to a redirect",
      category: "redirects",
      severity: "info",
      means: "Links lead to addresses that redirect; visitors and crawlers take a detour.",
      fix: "Link to the final address.",
      source: google,
      needsRendering: true,
      guidance: guidance.link_to_redirect
    },
    (page, site) => {
      const targets = linkedPages(page, site, isRedirect)
      return targets.length === 0
        ? null
        : targets
            .map(({ target }) => target.url)
            .slice(0, 5)
            .join(", ")
    },
    { gate: sawEverything }
  ),
  perPage(
    {
      id: "meta_refresh",
      category: "redirects",
      severity: "warning",
      means:
        "The page sends visitors elsewhere by a delayed refresh, which they cannot stop and crawlers read as a redirect.",
      fix: "Redirect on the server instead.",
      source: "HTML standard, http-equiv refresh; WCAG 2.2 success criterion 2.2.1",
      restsOn: "own",
      guidance: guidance.meta_refresh
    },
    ({ url, visit }) => {
      const refresh = visit.headerFacts?.refresh ?? visit.facts.refresh
      return refresh === null || refresh.url === null || refresh.url === url ? null : refresh.raw
    }
  )
]
