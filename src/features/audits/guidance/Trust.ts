import type { GuidanceTable } from "./Guidance.ts"

const docs = "https://developer.chrome.com/docs/lighthouse/best-practices"

/** Response headers that protect visitors. */
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

const bestPractices = "https://developer.chrome.com/docs/lighthouse/best-practices"

/** Security, trust and general good practice. */
export const trust: GuidanceTable = {
  "is-on-https": {
    summary: "The page or parts of it are loaded without encryption",
    why: "Anyone on the network path can read or change unencrypted traffic; browsers warn visitors or block the content.",
    goal: "Load the page and everything in it over HTTPS",
    steps: [
      "Find where each listed URL comes from: templates, content, configuration, third-party snippets.",
      "Change it to https, after checking that the host serves the file there.",
      "Redirect http to https on the server, and add upgrade-insecure-requests to the Content-Security-Policy for content you cannot edit."
    ],
    docs: "https://developer.chrome.com/docs/lighthouse/pwa/is-on-https/"
  },
  "redirects-http": {
    summary: "HTTP is not redirected to HTTPS",
    why: "Visitors who follow an old link stay on an unencrypted page.",
    goal: "Redirect every http URL to https",
    steps: [
      "Find the server, proxy or CDN that listens on port 80.",
      "Return 301 to the same path on https.",
      "Add a Strict-Transport-Security header once https works everywhere."
    ],
    docs: "https://developer.chrome.com/docs/lighthouse/pwa/redirects-http/"
  },
  "errors-in-console": {
    summary: "The page logs errors",
    why: "Logged errors are often features that do not work for visitors.",
    goal: "Fix the causes of the listed errors",
    steps: [
      "Reproduce each listed error in a browser and find its source line.",
      "Failed requests: correct the URL or restore the file. Exceptions: fix the code, do not swallow the error.",
      "Leave errors of browser extensions and of third parties alone, and name them in your report."
    ],
    docs: `${bestPractices}/errors-in-console/`
  },
  "inspector-issues": {
    summary: "The browser reports issues with the page",
    why: "They point to blocked requests, cookies or policies that break features.",
    goal: "Resolve the listed issues",
    steps: [
      "Open the Issues panel of the browser's developer tools on this page.",
      "Fix each listed type at its source: cookie attributes, Content-Security-Policy, mixed content, CORS.",
      "Reload and check that the panel is empty."
    ],
    docs: `${bestPractices}/inspector-issues/`
  },
  deprecations: {
    summary: "The page uses functions that browsers will remove",
    why: "What depends on them will stop working with a browser update.",
    goal: "Replace the listed deprecated functions",
    steps: [
      "Find the listed source lines; map them to the original source if the file is bundled.",
      "Use the replacement that the browser's message names.",
      "If a library calls it, update the library."
    ],
    docs: `${bestPractices}/deprecations/`
  },
  "third-party-cookies": {
    summary: "The page relies on third-party cookies",
    why: "Browsers block or restrict them, so the features behind them fail for many people.",
    goal: "Do without the listed third-party cookies",
    steps: [
      "Find which feature sets each listed cookie.",
      "Move it to a first-party cookie or server-side storage, or use partitioned cookies (CHIPS) for embeds.",
      "Remove unused integrations."
    ],
    docs: "https://privacysandbox.google.com/cookies/prepare/overview"
  },
  "geolocation-on-start": {
    summary: "The page asks for the location on load",
    why: "People refuse requests that they do not understand, and then the feature is blocked for good.",
    goal: "Ask for the location only after an action that needs it",
    steps: [
      "Find the listed geolocation call.",
      "Move it into the handler of a control that says why the location is needed.",
      "Offer entering a place by hand."
    ],
    docs: `${bestPractices}/geolocation-on-start/`
  },
  "notification-on-start": {
    summary: "The page asks for notifications on load",
    why: "People refuse such requests at once, and then notifications are blocked for good.",
    goal: "Ask for notifications only after an action that needs them",
    steps: [
      "Find the listed permission request.",
      "Move it into the handler of a control that says what will be sent.",
      "Remember a refusal and do not ask again."
    ],
    docs: `${bestPractices}/notification-on-start/`
  },
  "paste-preventing-inputs": {
    summary: "Fields refuse pasted text",
    why: "It breaks password managers and makes typing errors more likely.",
    goal: "Allow pasting into the listed fields",
    steps: [
      "Find the paste handlers of the listed fields, in shared components too.",
      "Remove the preventDefault() call and the onpaste attribute.",
      "Validate the value after input, not the way it was entered."
    ],
    docs: `${bestPractices}/paste-preventing-inputs/`
  },
  doctype: {
    summary: "The page is rendered in quirks mode",
    why: "Without a proper doctype browsers imitate the layout bugs of the nineties.",
    goal: "Begin the document with the HTML doctype",
    steps: [
      "Put <!doctype html> on the first line of the base template.",
      "Make sure that nothing is sent before it: white space, comments, error output.",
      "Compare the layout before and after; quirks mode may have hidden mistakes."
    ],
    docs: `${bestPractices}/doctype/`
  },
  charset: {
    summary: "The character encoding is declared too late or not at all",
    why: "Browsers have to guess, may show wrong characters, and may parse the page twice.",
    goal: "Declare UTF-8 at the beginning",
    steps: [
      "Serve the HTML as text/html; charset=utf-8.",
      'Make <meta charset="utf-8"> the first child of head, within the first 1,024 bytes.',
      "Check that the files themselves are saved as UTF-8."
    ],
    docs: `${bestPractices}/charset/`
  },
  "no-vulnerable-libraries": {
    summary: "Libraries with known security holes are in use",
    why: "Attackers look for exactly these versions.",
    goal: "Update the listed libraries to versions without known holes",
    steps: [
      "Find the listed libraries in the manifest and the lock file, or where they are copied into the site.",
      "Update to the nearest fixed version and read its change notes.",
      "Run the tests and remove old copies."
    ]
  },
  "external-anchors-use-rel-noopener": {
    summary: "Links open other sites with access to this page",
    why: "In old browsers the opened page can replace this one.",
    goal: "Protect the listed links",
    steps: [
      "Add rel=noopener to the listed links with target=_blank.",
      "Do it in the shared link component where there is one."
    ]
  },
  "valid-source-maps": {
    summary: "Large scripts have no valid source map",
    why: "Errors of production cannot be traced to the source.",
    goal: "Publish valid source maps for the listed first-party scripts",
    steps: [
      "Turn source maps on for production builds.",
      "Check that the sourceMappingURL of each listed file returns 200 with JSON."
    ],
    docs: "https://developer.chrome.com/docs/devtools/javascript/source-maps/"
  }
}
