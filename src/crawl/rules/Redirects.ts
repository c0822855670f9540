import type { AnalysedPage } from "../analysis/AnalysedSite.ts"
import { hopOf } from "../analysis/Verdict.ts"
import { healthStateOf } from "../report/MeasuredPage.ts"
import { linkFault } from "./Causes.ts"
import { type Fault, perPage, perUrl, type Rule } from "./Rule.ts"
import { linksTo, sawEverything } from "./Targets.ts"

const isRedirect = ({ reason }: AnalysedPage): boolean => healthStateOf[reason] === "redirect"
const google = "Google Search Central, Redirects and Google Search"
const nothing = "no URL of the site redirects"

/** The path of a redirect, with its first target. */
const shown = ({ chain, url }: AnalysedPage, status = ""): Fault => ({
  detail: status + [url, ...chain.hops].join(" → "),
  value: chain.hops[0]
})

/** Where guidance looks for the origin of redirects. */
const find =
  "Find what redirects: server or hosting configuration, middleware, framework redirects, CDN configuration or a meta refresh."

/** Checks of URLs that redirect. */
export const redirects: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "redirect_loop",
      name: "Redirect loop",
      category: "redirects",
      severity: "critical",
      means: "These redirects loop back to where they began, or do not reach a page within ten hops.",
      fix: "Correct the redirect that sends the URL back. Often two redirects for scheme, host or trailing slash contradict each other.",
      source: "RFC 9110 §15.4",
      guidance: {
        why: "Visitors and crawlers never reach a page.",
        goal: "Make each listed URL reach a page after at most one redirect",
        find: `${find} Most loops come from two redirects that contradict each other on scheme, host, slash or language.`,
        steps: [
          "Follow the URL hop by hop and find the configuration behind each hop.",
          "Keep one redirect each for scheme, host and trailing slash, in one place, and remove the other.",
          "Behind a proxy, let the application trust X-Forwarded-Proto, so it does not redirect https to https again."
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
      name: "Broken redirect",
      category: "redirects",
      severity: "critical",
      means: "These URLs redirect to a page that returns an error.",
      fix: "Point the redirect to an existing page, or return 410 for the old URL.",
      source: google,
      restsOn: "confirmed",
      guidance: {
        why: "Visitors end on an error page, and the link equity of the old URL is lost.",
        goal: "Make each listed redirect end at a page that returns 200, or let the old URL return 410",
        find,
        steps: [
          "Find the page that holds the content of the old URL today.",
          "Point the redirect straight to it.",
          "If no such page exists, return 410 for the old URL and remove the links to it."
        ],
        never: "redirect to the start page just because no better page exists"
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
      means: "These URLs redirect to another redirect.",
      fix: "Redirect straight to the final URL.",
      source: google,
      guidance: {
        why: "Each hop slows visitors down and wastes crawl budget. Search engines stop following long chains.",
        goal: "Make each listed URL redirect straight to its final URL",
        find: `${find} Most chains come from general redirects (https, host, slash) applied one after another, or from old redirect lists.`,
        steps: [
          "Follow the URL hop by hop.",
          "Put the final URL into the first redirect, and let one redirect set scheme, host and slash together.",
          "Update older entries of redirect lists whose target redirects itself."
        ],
        never: "remove a hop that external links still point to"
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
      means: "These URLs return a temporary redirect, such as 302 or 307.",
      fix: "Return 301 or 308 if the move is permanent.",
      source: `${google}; RFC 9110 §15.4.3, §15.4.8`,
      guidance: {
        why: "Search engines keep the old URL in the index and may leave out the new one.",
        goal: "Return 301 or 308 for permanent moves, and keep redirects that are meant to be temporary",
        find,
        steps: [
          "Decide for each URL whether the move is permanent. Redirects by language, login or campaign are not.",
          "Set permanent ones to 301, or to 308 if the method must be kept. Many frameworks send 302 or 307 by default.",
          "Update links and sitemap entries to the new URL."
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
      means: "These URLs of the site redirect to another site.",
      fix: "Link to the other site directly, or check that the redirect is intended.",
      source: google,
      restsOn: "own",
      guidance: {
        why: "A link that seems internal takes visitors away from the site, possibly to a domain that changed owner.",
        goal: "Keep only intended redirects to other sites",
        find,
        steps: [
          "Check who owns the target: others buy expired domains.",
          "If the target is intended, link to it directly.",
          "If not, remove the redirect or point it to the right page."
        ],
        never: "add the other host to an allow list without knowing it"
      }
    },
    isRedirect,
    (page) => (page.reason === "redirect_offsite" ? shown(page) : null),
    { nothing }
  )
]

/** Checks of pages that link to redirects, or redirect by themselves. */
export const pageRedirects: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "link_to_redirect",
      name: "Link to a redirect",
      category: "redirects",
      severity: "info",
      means: "The page links to URLs that redirect.",
      fix: "Link to the final URL.",
      source: google,
      needsRendering: true,
      guidance: {
        why: "Every click and every crawl takes a detour.",
        goal: "Make the links of the listed pages point to final URLs",
        find: "Search templates, navigation, footers and content for the URLs in the evidence.",
        steps: [
          "Follow each URL in the evidence to its end.",
          "Put that URL into the link. Fix a link in shared navigation once, where it is generated.",
          "If a helper writes the links, let it use slash, host and scheme as the server does."
        ],
        never: "remove the redirect: other sites link to the old URL"
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
      name: "Meta refresh redirect",
      category: "redirects",
      severity: "warning",
      means: "The page sends visitors to another URL by a meta refresh or Refresh header.",
      fix: "Use a server redirect instead.",
      source: "HTML standard, http-equiv refresh; WCAG 2.2 success criterion 2.2.1",
      restsOn: "own",
      guidance: {
        why: "Visitors cannot stop a delayed refresh, and search engines have to guess what it means.",
        goal: "Replace the refresh of the listed pages by a server redirect or a link",
        find: "Find the template that writes meta http-equiv=refresh, or the Refresh header.",
        steps: [
          "Decide whether the page moved, or is a notice that people should read.",
          "Moved: return 301 or 308 with the target. Static hosting has redirect files for this.",
          "Notice: remove the refresh and put a link on the page."
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

/** Checks of redirect targets. */
export const redirectTargets: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "redirect_without_target",
      name: "Redirect without a valid Location",
      category: "redirects",
      severity: "warning",
      means: "A redirect status comes without a usable Location header, or its URL contains a user name or password.",
      fix: "Send a Location header with a valid URL, or a different status.",
      source: "RFC 9110 §10.2.2, §4.2.4",
      restsOn: "own",
      guidance: {
        why: "Browsers and crawlers cannot follow it.",
        goal: "Send a valid Location header with each redirect status, or a different status",
        find: `${find} Look for a computed target that is empty or malformed.`,
        steps: [
          "Request the URL and check status and Location.",
          "Fix what computes the target, and do not redirect if it is empty.",
          "If no redirect is intended, return 200, 404 or 410."
        ],
        never: "send a Location that points back to the same URL"
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
      name: "HTTPS to HTTP redirect",
      category: "redirects",
      severity: "warning",
      means: "An https URL redirects to http.",
      fix: "Redirect to the https URL.",
      source: "RFC 6797 §7.2; RFC 9110 §4.2.2",
      restsOn: "own",
      guidance: {
        why: "The connection loses its encryption, and browsers warn visitors.",
        goal: "Make sure that no https URL redirects to http",
        find: `${find} Behind a proxy that ends TLS, applications often build http URLs.`,
        steps: [
          "Find where the absolute target is built.",
          "Build it with https, or from the forwarded scheme of a trusted proxy.",
          "Check that the https target works, then consider Strict-Transport-Security."
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
