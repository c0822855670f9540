import type { AnalysedPage } from "../analysis/AnalysedSite.ts"
import { hopOf } from "../analysis/Verdict.ts"
import { healthStateOf } from "../report/MeasuredPage.ts"
import { linkFault } from "./Causes.ts"
import { type Fault, perPage, perUrl, type Rule } from "./Rule.ts"
import { linksTo, sawEverything } from "./Targets.ts"

const isRedirect = ({ reason }: AnalysedPage): boolean => healthStateOf[reason] === "redirect"
const google = "Google Search Central, Redirects and Google Search"
const nothing = "no URL of the site redirects"

/** The way of a redirect, and where it leads first. */
const shown = ({ chain, url }: AnalysedPage, status = ""): Fault => ({
  detail: status + [url, ...chain.hops].join(" → "),
  value: chain.hops[0]
})

/** Where the guidance of redirects looks for their origin. */
const find =
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

/** Pages that lead into redirects, or redirect by themselves. */
export const pageRedirects: ReadonlyArray<Rule> = [
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
      guidance: {
        why: "Visitors and crawlers take a detour with every click.",
        goal: "Make the links of the listed pages name the addresses where they end",
        find: "Search templates, navigation, footers and content for the addresses in the evidence.",
        steps: [
          "Follow each address in the evidence to its end.",
          "Write that address into the link; a link in shared navigation once, where it is generated.",
          "Where links are made by a helper, let it add or leave the slash, host and scheme as the server wants them."
        ],
        never: "remove the redirect: others link to the old address"
      }
    },
    (page, site) => {
      const found = linksTo(page, site, isRedirect).map(({ link }) => link)
      return linkFault(found, ({ raw, target }) => (target.followable ? target.url : raw))
    },
    { precondition: sawEverything }
  ),
  perPage(
    {
      id: "meta_refresh",
      name: "Meta refresh",
      category: "redirects",
      severity: "warning",
      means:
        "The page sends visitors elsewhere by a delayed refresh, which they cannot stop and crawlers read as a redirect.",
      fix: "Redirect on the server instead.",
      source: "HTML standard, http-equiv refresh; WCAG 2.2 success criterion 2.2.1",
      restsOn: "own",
      guidance: {
        why: "Visitors cannot stop a delayed refresh, and crawlers have to guess what it means.",
        goal: "Replace the refresh of the listed pages by a redirect of the server, or by a link",
        find: "Find the template that writes meta http-equiv=refresh, or the Refresh header.",
        steps: [
          "Decide whether the page moved, or is a notice that people should read.",
          "Moved: answer 301 or 308 with the target. Static hosting has redirect files or rules for that.",
          "A notice: remove the refresh and put a link on the page."
        ],
        never: "move the refresh into a script"
      }
    },
    ({ url, visit }) => {
      const refresh = visit.headerFacts?.refresh ?? visit.facts.refresh
      return refresh === null || refresh.url === null || refresh.url === url
        ? null
        : { detail: `to ${refresh.url}`, value: refresh.raw, ...(visit.headerFacts?.refresh ? {} : { place: "head" }) }
    }
  )
]

/** What a redirect names as its target. */
export const redirectTargets: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "redirect_without_target",
      name: "Redirect without a target",
      category: "redirects",
      severity: "warning",
      means:
        "A redirect status comes without a usable Location, or with one that has a user name or a password, so it cannot be followed.",
      fix: "Send a Location header with a valid URL, or another status.",
      source: "RFC 9110 §10.2.2, §4.2.4",
      restsOn: "own",
      guidance: {
        why: "Browsers and crawlers cannot follow a redirect that names no address.",
        goal: "Send a valid Location with each redirect status, or another status",
        find: `${find} Look for a target that is computed and empty or malformed.`,
        steps: [
          "Request the URL and read status and Location.",
          "Repair what computes the target; refuse to redirect when it is empty.",
          "Where nothing was to be redirected, answer 200, 404 or 410 as the case is."
        ],
        never: "send a Location that points back at the same address"
      }
    },
    isRedirect,
    ({ visit }) => {
      if (visit?.redirect == null || visit.redirect.to !== null) return null
      return visit.redirect.hasCredentials
        ? `${visit.status}, blocked: the Location has credentials`
        : `${visit.status}`
    },
    { nothing }
  ),
  perUrl(
    {
      id: "redirect_downgrade",
      name: "Redirect from HTTPS to HTTP",
      category: "redirects",
      severity: "warning",
      means: "An https address redirects to http, so the visitor's connection loses its protection.",
      fix: "Redirect to the https address.",
      source: "RFC 6797 §7.2; RFC 9110 §4.2.2",
      restsOn: "own",
      guidance: {
        why: "The visitor's connection loses its protection, and browsers warn.",
        goal: "Let no https address redirect to http",
        find: `${find} Behind a proxy that ends TLS, applications often build http addresses of their own.`,
        steps: [
          "Find where the absolute target is built.",
          "Build it with https, or from the forwarded scheme of a trusted proxy.",
          "Check that the https target answers, then consider Strict-Transport-Security."
        ],
        never: "turn https off for the target"
      }
    },
    isRedirect,
    (page) =>
      page.url.startsWith("https:") && hopOf(page.record)?.to?.startsWith("http:") === true ? shown(page) : null,
    { nothing }
  )
]
