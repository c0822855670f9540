import type { GuidanceTable } from "./Guidance.ts"

const docs = "https://developer.chrome.com/docs/lighthouse/performance"
const insights = "https://developer.chrome.com/docs/performance/insights"

/** What scripts, styles and the main thread do. */
export const script: GuidanceTable = {
  "unused-javascript": {
    summary: "Scripts contain code that the page does not run",
    why: "Unused code is downloaded, parsed and compiled before the page becomes usable.",
    goal: "Ship only the JavaScript that this page runs",
    steps: [
      "Use the bundler's analysis to see which modules fill the listed files.",
      "Load routes, dialogs and heavy widgets with dynamic import() where they are used.",
      "Import single functions instead of whole libraries, and remove dependencies that nothing uses any more."
    ],
    docs: `${docs}/unused-javascript/`
  },
  "unused-css-rules": {
    summary: "Stylesheets contain rules that the page does not use",
    why: "Unused rules are downloaded and parsed before the first paint.",
    goal: "Ship only the CSS that this page needs",
    steps: [
      "Find which build step produces the listed stylesheets.",
      "Split styles by route or component, or let the build remove selectors that no template uses.",
      "Keep selectors that scripts add at run time on a safe list, and compare screenshots before and after."
    ],
    docs: `${docs}/unused-css-rules/`
  },
  "unminified-javascript": {
    summary: "Scripts are not minified",
    why: "Comments and white space are downloaded and parsed for nothing.",
    goal: "Minify the listed scripts",
    steps: [
      "Find how the listed scripts are built; files that are copied as they are bypass the bundler.",
      "Turn minification on for production builds, or add the files to the bundle.",
      "Check that the deployment runs the production build and that source maps still load."
    ],
    docs: `${docs}/unminified-javascript/`
  },
  "unminified-css": {
    summary: "Stylesheets are not minified",
    why: "Comments and white space are downloaded in front of the first paint.",
    goal: "Minify the listed stylesheets",
    steps: [
      "Find how the listed stylesheets are built or copied.",
      "Turn CSS minification on for production builds.",
      "Check that the deployment runs the production build."
    ],
    docs: `${docs}/unminified-css/`
  },
  "legacy-javascript-insight": {
    summary: "Scripts carry code for outdated browsers",
    why: "Polyfills and transpiled syntax make scripts larger and slower for the browsers people use.",
    goal: "Stop shipping polyfills and transforms that current browsers do not need",
    steps: [
      "Find the browser target of the build (browserslist, Babel, TypeScript, bundler target).",
      "Raise it to browsers that support ES modules and drop polyfills for features they have.",
      "Rebuild the listed files; for a third-party file look for its modern build."
    ],
    docs: `${insights}/legacy-javascript`
  },
  "duplicated-javascript-insight": {
    summary: "The same modules are shipped more than once",
    why: "Visitors download and parse the same code several times.",
    goal: "Ship each listed module once",
    steps: [
      "Find why each listed module is bundled twice: different versions in the lock file, or bundles built apart.",
      "Align the versions and deduplicate the lock file.",
      "Let the bundles share a common chunk."
    ],
    docs: `${insights}/duplicated-javascript`
  },
  "bootup-time": {
    summary: "Scripts take long to start",
    why: "While scripts start up the page does not react to taps and typing.",
    goal: "Reduce the processor time of the listed scripts during load",
    steps: [
      "Record a performance profile of the load and find what the listed scripts do.",
      "Delay what the first view does not need: initialise on interaction or when idle.",
      "Remove or replace the most expensive libraries, third parties included."
    ],
    docs: `${docs}/bootup-time/`
  },
  "mainthread-work-breakdown": {
    summary: "The main thread is busy for too long",
    why: "A busy main thread delays painting and every reaction to the visitor.",
    goal: "Reduce the main-thread work of the listed scripts and of the largest groups that the evidence lists",
    steps: [
      "Record a performance profile of the load and find the longest tasks of the listed scripts and of the largest group.",
      "Script evaluation: ship less code, split it, start it later. Style and layout: fewer elements, simpler selectors, no layout reads after writes.",
      "Move heavy computation into a worker, and break tasks above 50 ms by yielding to the browser."
    ],
    docs: `${docs}/mainthread-work-breakdown/`
  },
  "long-tasks": {
    summary: "Long tasks block the main thread",
    why: "During a task of more than 50 ms the page does not react.",
    goal: "Break up or remove the listed long tasks",
    steps: [
      "Record a performance profile and find the functions inside the listed tasks.",
      "Do less: delay or drop work that the first view does not need.",
      "Split what remains by yielding between chunks (scheduler.yield or a timer) or move it into a worker."
    ],
    docs: "https://web.dev/articles/optimize-long-tasks"
  },
  "forced-reflow-insight": {
    summary: "Scripts force the browser to lay out the page repeatedly",
    why: "Reading sizes right after changing styles makes each change as slow as a full layout.",
    goal: "Remove the forced layouts that the evidence lists",
    steps: [
      "Find the listed functions and the layout reads in them (offsetWidth, getBoundingClientRect, scrollTop and the like).",
      "Read all sizes first, then write all styles; keep reads out of loops that write.",
      "Use ResizeObserver or IntersectionObserver instead of measuring by hand."
    ],
    docs: `${insights}/forced-reflow`
  },
  "dom-size-insight": {
    summary: "The page has too many elements",
    why: "A large document makes every style calculation and layout slower and uses more memory.",
    goal: "Reduce the number and the depth of elements",
    steps: [
      "Find the component that renders the element with the most children in the evidence.",
      "Render long lists in pages or windows, and content that is hidden only when it opens.",
      "Remove wrapper elements that neither style nor script needs; use content-visibility: auto for sections below the fold."
    ],
    docs: `${insights}/dom-size`
  },
  "inp-breakdown-insight": {
    summary: "The page reacts slowly to input",
    why: "Interaction to Next Paint is how long people wait after a tap or key; it is a Core Web Vital.",
    goal: "Shorten the longest part of the interaction that the evidence lists",
    steps: [
      "Input delay: break up the tasks that run at that time. Processing: do less inside the event handler.",
      "Show feedback first and yield before the expensive work.",
      "Presentation delay: make the change smaller, fewer elements, no forced layout."
    ],
    docs: `${insights}/inp-breakdown`
  },
  "no-document-write": {
    summary: "Scripts use document.write()",
    why: "On slow connections document.write() delays the page by tens of seconds, and browsers may ignore it.",
    goal: "Replace document.write()",
    steps: [
      "Find the listed calls, in third-party snippets too.",
      "Create the elements with DOM methods, or load the script with async or defer.",
      "Ask for the asynchronous version of a snippet that is not yours."
    ],
    docs: `${docs}/no-document-write/`
  },
  "uses-passive-event-listeners": {
    summary: "Touch and wheel listeners block scrolling",
    why: "The browser waits for these listeners before it scrolls.",
    goal: "Make the listed listeners passive",
    steps: [
      "Find the listed addEventListener calls for touchstart, touchmove, wheel and mousewheel.",
      "Pass { passive: true } to those that never call preventDefault().",
      "For those that do, use the touch-action or overscroll-behavior CSS properties."
    ],
    docs: `${docs}/uses-passive-event-listeners/`
  },
  "non-composited-animations": {
    summary: "Animations run on the main thread",
    why: "Such animations stutter and can move the layout.",
    goal: "Animate only with transform and opacity",
    steps: [
      "Find the listed animations in the styles or scripts.",
      "Replace animated top, left, width, height, margin and colours with transform and opacity.",
      "Respect prefers-reduced-motion."
    ],
    docs: `${docs}/non-composited-animations/`
  }
}
