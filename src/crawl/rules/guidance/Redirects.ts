import type { GuidanceTable } from "./Guidance.ts"

const find =
  "Find the rule that redirects: server or hosting configuration, middleware, framework redirects, a CDN rule, or a meta refresh."

/** Redirects, and links to them. */
export const redirects = {
  redirect_loop: {
    why: "A redirect that comes back to where it began leads to no page.",
    goal: "Make each listed URL end at a page after at most one redirect",
    find: `${find} Loops mostly come from two of them that contradict each other on scheme, host, slash or language.`,
    steps: [
      "Follow the URL hop by hop and name the rule behind each hop.",
      "Keep one rule for each of scheme, host and trailing slash, in one place, and remove the other.",
      "Behind a proxy, let the application trust X-Forwarded-Proto, so that it does not redirect https requests to https again."
    ],
    never: "remove the redirect to https"
  },
  redirect_to_error: {
    why: "Who follows the redirect arrives at an error, and what the old address had earned is lost.",
    goal: "Make each listed redirect end at a page that answers 200, or let the old address answer 410",
    find,
    steps: [
      "Look for the page that holds the content of the old address today.",
      "Point the redirect straight at it.",
      "Where no such page exists, answer 410 at the old address and remove the links to it."
    ],
    never: "point the redirect at the start page for want of a better one"
  },
  redirect_chain: {
    why: "Each hop costs visitors time and crawlers a request, and engines give up after some.",
    goal: "Make each listed URL redirect straight to its last address",
    find: `${find} Chains mostly come from general rules (https, host, slash) that run one after another, or from old lists of redirects.`,
    steps: [
      "Follow the URL hop by hop.",
      "Write the last address into the first rule; let one rule set scheme, host and slash together.",
      "Replace older entries of redirect lists whose target redirects itself."
    ],
    never: "remove a hop on which external links still arrive"
  },
  redirect_temporary: {
    why: "A temporary redirect keeps the old address in the index and the new one out of it.",
    goal: "Answer 301 or 308 where the move is final, and leave redirects that are meant to be temporary",
    find,
    steps: [
      "Decide for each URL whether the move is final; those by language, login or campaign are not.",
      "Set the status of final ones to 301, or to 308 where the method must be kept. Many frameworks send 302 or 307 by default.",
      "Correct links and sitemap entries to the new address."
    ],
    never: "make redirects permanent that depend on the visitor"
  },
  redirect_offsite: {
    why: "A link that looks like one of the site leads away from it.",
    goal: "Leave only redirects to other sites that are meant",
    find,
    steps: [
      "Check that the target belongs to whom it should: expired domains are bought by others.",
      "Where the target is meant, link to it directly.",
      "Where it is not, remove the redirect or point it at the right page."
    ],
    never: "add the other host to an allow list without knowing it"
  },
  redirect_without_target: {
    why: "Browsers and crawlers cannot follow a redirect that names no address.",
    goal: "Send a valid Location with each redirect status, or another status",
    find: `${find} Look for a target that is computed and empty or malformed.`,
    steps: [
      "Request the URL and read status and Location.",
      "Repair what computes the target; refuse to redirect when it is empty.",
      "Where nothing was to be redirected, answer 200, 404 or 410 as the case is."
    ],
    never: "send a Location that points back at the same address"
  },
  redirect_downgrade: {
    why: "The visitor's connection loses its protection, and browsers warn.",
    goal: "Let no https address redirect to http",
    find: `${find} Behind a proxy that ends TLS, applications often build http addresses of their own.`,
    steps: [
      "Find where the absolute target is built.",
      "Build it with https, or from the forwarded scheme of a trusted proxy.",
      "Check that the https target answers, then consider Strict-Transport-Security."
    ],
    never: "turn https off for the target"
  },
  link_to_redirect: {
    why: "Visitors and crawlers take a detour with every click.",
    goal: "Make the links of the listed pages name the addresses where they end",
    find: "Search templates, navigation, footers and content for the addresses in the evidence.",
    steps: [
      "Follow each address in the evidence to its end.",
      "Write that address into the link; a link in shared navigation once, where it is generated.",
      "Where links are made by a helper, let it add or leave the slash, host and scheme as the server wants them."
    ],
    never: "remove the redirect: others link to the old address"
  },
  meta_refresh: {
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
} satisfies GuidanceTable
