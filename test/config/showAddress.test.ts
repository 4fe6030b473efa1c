import { showAddress } from "../../provider/src/config/index.js";

test.each([
  ["https://jobs.example.com", "https://jobs.example.com"],
  ["https://jobs.example.com/", "https://jobs.example.com"],
  ["http://127.0.0.1:4010", "http://127.0.0.1:4010"],
  ["https://jobs.example.com:8443/SECRET", "https://jobs.example.com:8443 and more (not shown)"],
  ...[
    ...["https://SECRET@jobs.example.com", "https://:SECRET@jobs.example.com", "https:SECRET@jobs.example.com"],
    ...["https://jobs.example.com?a=SECRET", "https://jobs.example.com#SECRET"],
  ].map((text) => [text, "https://jobs.example.com and more (not shown)"]),
  ...[
    ...["SECRET", "SECRET@jobs.example.com", "user:SECRET@jobs.example.com", "https://user:SEC/RET@jobs.example.com"],
    ...["https://SEC#RET@jobs.example.com", "https://SEC?RET@jobs.example.com"],
    ...["https://SEC/RET@jobs.example.com", "https://SECRET@", "https://SECRET:SECRET:SECRET"],
    ...["https//SECRET@jobs.example.com", "mailto:SECRET@jobs.example.com", "SECRET://jobs.example.com", ""],
  ].map((text) => [text, "(not shown: it is not an http address)"]),
])("%j is shown as %s", (text, shown) => {
  expect(showAddress(text)).toBe(shown);
});
