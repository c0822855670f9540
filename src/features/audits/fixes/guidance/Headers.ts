import type { GuidanceTable } from "./Guidance.ts"

const docs = "https://developer.chrome.com/docs/lighthouse/best-practices"

/** Response headers that protect the people who visit a page. */
export const headers: GuidanceTable = {
  "csp-xss": {
    summary: "There is no effective protection against injected scripts",
    why: "A Content-Security-Policy stops most script injections from doing harm.",
    goal: "Send an effective Content-Security-Policy",
    steps: [
      "Start with Content-Security-Policy-Report-Only and collect what it would block.",
      "Use nonces or hashes with strict-dynamic, object-src 'none' and base-uri 'none'.",
      "Remove inline handlers, then enforce the policy."
    ],
    docs: `${docs}/csp-xss/`
  },
  "has-hsts": {
    summary: "The site does not require HTTPS for later visits",
    why: "Without Strict-Transport-Security the first request of a visit can go over HTTP, where anyone on the network path can redirect or change it.",
    goal: "Send a Strict-Transport-Security header that is valid for a year",
    steps: [
      "Check that every host the site needs, subdomains included, serves HTTPS with a valid certificate.",
      "Set Strict-Transport-Security where the headers of all responses are set (server, proxy or CDN), at first with max-age=300.",
      "Raise it step by step to max-age=31536000; includeSubDomains when nothing breaks.",
      "Add preload only if every subdomain will stay on HTTPS: browsers take a long time to forget it."
    ],
    docs: `${docs}/has-hsts`
  },
  "origin-isolation": {
    summary: "Other windows can control the page",
    why: "Without Cross-Origin-Opener-Policy a page that opens this one, or is opened by it, can navigate it and learn about it.",
    goal: "Send a Cross-Origin-Opener-Policy header for the documents of the site",
    steps: [
      "Find which flows need a window of another origin: sign-in and payment pop-ups.",
      "Set Cross-Origin-Opener-Policy: same-origin on HTML answers, or same-origin-allow-popups where such flows exist.",
      "Try those flows in a browser before and after."
    ],
    docs: `${docs}/origin-isolation`
  },
  "clickjacking-mitigation": {
    summary: "Other sites can show the page in a frame",
    why: "A page in an invisible frame lets another site steal clicks of signed-in visitors.",
    goal: "Forbid framing by sites that need not frame the page",
    steps: [
      "Find the sites that frame the page on purpose: own tools, partners, embeds.",
      "Add frame-ancestors 'self' to the Content-Security-Policy, with the origins that may frame the page.",
      "Also send X-Frame-Options: SAMEORIGIN if old browsers matter and no other site frames the page."
    ],
    docs: `${docs}/clickjacking-mitigation`
  },
  "trusted-types-xss": {
    summary: "Scripts may write any text into the page as HTML",
    why: "Trusted Types stop text from visitors or URLs from becoming script in the functions that most attacks use.",
    goal: "Enforce Trusted Types in the Content-Security-Policy",
    steps: [
      "Send Content-Security-Policy-Report-Only: require-trusted-types-for 'script' and collect the reports.",
      "Replace innerHTML and the like with textContent or DOM methods; where HTML is needed, make it in one policy that cleans it.",
      "Enforce the directive when no more reports arrive."
    ],
    docs: `${docs}/trusted-types-xss`
  }
}
