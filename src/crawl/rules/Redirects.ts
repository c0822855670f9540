import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import { healthStateOf } from "../report/States.ts"
import type { Fault } from "./Fault.ts"
import { sawEverything } from "./Preconditions.ts"
import { perUrl, type Rule } from "./Rule.ts"

export const isRedirect = ({ reason }: AnalysedPage): boolean => healthStateOf[reason] === "redirect"
export const google = "Google Search Central, Redirects and Google Search"
export const nothing = "no URL of the site redirects"

/** The way of a redirect, and where it leads first. */
export const shown = ({ chain, url }: AnalysedPage, status = ""): Fault => ({
  detail: status + [url, ...chain.hops].join(" → "),
  value: chain.hops[0]
})

/** Where the guidance of redirects looks for their origin. */
export const find =
  "Find the rule that redirects: server or hosting configuration, middleware, framework redirects, a CDN rule, or a meta refresh."

/** Addresses that redirect. */
export const redirects: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "redirect_loop",
      name: "Redirect loop",
      category: "redirects",
      severity: "critical",
      means: "Redirects come back to where they began, or do not settle within ten hops, so no visitor reaches a page.",
      fix: "Correct the rule that sends the address back; often two rules for scheme, host or slash contradict each other.",
      source: "RFC 9110 §15.4",
      guidance: {
        why: "A redirect that comes back to where it began leads to no page.",
        goal: "Make each listed URL end at a page after at most one redirect",
        find: `${find} Loops mostly come from two of them that contradict each other on scheme, host, slash or language.`,
        steps: [
          "Follow the URL hop by hop and name the rule behind each hop.",
          "Keep one rule for each of scheme, host and trailing slash, in one place, and remove the other.",
          "Behind a proxy, let the application trust X-Forwarded-Proto, so that it does not redirect https requests to https again."
        ],
        never: "remove the redirect to https"
      }
    },
    isRedirect,
    (page) => (page.reason === "redirect_loop" ? shown(page) : null),
    { nothing, precondition: sawEverything }
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
      guidance: {
        why: "Who follows the redirect arrives at an error, and what the old address had earned is lost.",
        goal: "Make each listed redirect end at a page that answers 200, or let the old address answer 410",
        find,
        steps: [
          "Look for the page that holds the content of the old address today.",
          "Point the redirect straight at it.",
          "Where no such page exists, answer 410 at the old address and remove the links to it."
        ],
        never: "point the redirect at the start page for want of a better one"
      }
    },
    isRedirect,
    (page, site) => {
      const target = page.chain.target === null ? undefined : site.find(page.chain.target.url)
      return target !== undefined && healthStateOf[target.reason] === "failed" ? shown(page) : null
    },
    { nothing, precondition: sawEverything }
  ),
  perUrl(
    {
      id: "redirect_chain",
      name: "Redirect chain",
      category: "redirects",
      severity: "warning",
      means: "A redirect leads to another redirect. Each hop costs time and part of the crawl budget.",
      fix: "Redirect straight to the last address.",
      source: google,
      guidance: {
        why: "Each hop costs visitors time and crawlers a request, and engines give up after some.",
        goal: "Make each listed URL redirect straight to its last address",
        find: `${find} Chains mostly come from general rules (https, host, slash) that run one after another, or from old lists of redirects.`,
        steps: [
          "Follow the URL hop by hop.",
          "Write the last address into the first rule; let one rule set scheme, host and slash together.",
          "Replace older entries of redirect lists whose target redirects itself."
        ],
        never: "remove a hop on which external links still arrive"
      }
    },
    isRedirect,
    (page) => (page.reason !== "redirect_loop" && page.chain.hops.length > 1 ? shown(page) : null),
    { nothing, precondition: sawEverything }
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
      guidance: {
        why: "A temporary redirect keeps the old address in the index and the new one out of it.",
        goal: "Answer 301 or 308 where the move is final, and leave redirects that are meant to be temporary",
        find,
        steps: [
          "Decide for each URL whether the move is final; those by language, login or campaign are not.",
          "Set the status of final ones to 301, or to 308 where the method must be kept. Many frameworks send 302 or 307 by default.",
          "Correct links and sitemap entries to the new address."
        ],
        never: "make redirects permanent that depend on the visitor"
      }
    },
    isRedirect,
    (page) => (page.reason === "redirect_temporary" ? shown(page, `${page.visit?.status ?? ""} `) : null),
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
      guidance: {
        why: "A link that looks like one of the site leads away from it.",
        goal: "Leave only redirects to other sites that are meant",
        find,
        steps: [
          "Check that the target belongs to whom it should: expired domains are bought by others.",
          "Where the target is meant, link to it directly.",
          "Where it is not, remove the redirect or point it at the right page."
        ],
        never: "add the other host to an allow list without knowing it"
      }
    },
    isRedirect,
    (page) => (page.reason === "redirect_offsite" ? shown(page) : null),
    { nothing }
  )
]
