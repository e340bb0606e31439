import { describe, expect, test } from "vitest";
import { expandUriTemplate } from "../../src/protocol/uri-template/expand.ts";
import { UriTemplateError } from "../../src/protocol/uri-template/uri-template.ts";

/** The variables of RFC 6570, section 3.2. */
const values = {
  count: ["one", "two", "three"],
  dom: ["example", "com"],
  dub: "me/too",
  hello: "Hello World!",
  half: "50%",
  var: "value",
  who: "fred",
  base: "http://example.com/home/",
  path: "/foo/bar",
  list: ["red", "green", "blue"],
  keys: { semi: ";", dot: ".", comma: "," },
  v: "6",
  x: "1024",
  y: "768",
  empty: "",
  empty_keys: {},
  undef: undefined,
};

/** One row per template: the template, then its expansion. */
const sections: Record<string, string> = {
  "3.2.1 variable expansion": `
    {count}            one,two,three
    {count*}           one,two,three
    {/count}           /one,two,three
    {/count*}          /one/two/three
    {;count}           ;count=one,two,three
    {;count*}          ;count=one;count=two;count=three
    {?count}           ?count=one,two,three
    {?count*}          ?count=one&count=two&count=three
    {&count*}          &count=one&count=two&count=three`,
  "3.2.2 simple": `
    {var}              value
    {hello}            Hello%20World%21
    {half}             50%25
    O{empty}X          OX
    O{undef}X          OX
    {x,y}              1024,768
    {x,hello,y}        1024,Hello%20World%21,768
    ?{x,empty}         ?1024,
    ?{x,undef}         ?1024
    ?{undef,y}         ?768
    {var:3}            val
    {var:30}           value
    {list}             red,green,blue
    {list*}            red,green,blue
    {keys}             semi,%3B,dot,.,comma,%2C
    {keys*}            semi=%3B,dot=.,comma=%2C`,
  "3.2.3 reserved": `
    {+var}             value
    {+hello}           Hello%20World!
    {+half}            50%25
    {base}index        http%3A%2F%2Fexample.com%2Fhome%2Findex
    {+base}index       http://example.com/home/index
    O{+empty}X         OX
    O{+undef}X         OX
    {+path}/here       /foo/bar/here
    here?ref={+path}   here?ref=/foo/bar
    up{+path}{var}/here  up/foo/barvalue/here
    {+x,hello,y}       1024,Hello%20World!,768
    {+path,x}/here     /foo/bar,1024/here
    {+path:6}/here     /foo/b/here
    {+list}            red,green,blue
    {+list*}           red,green,blue
    {+keys}            semi,;,dot,.,comma,,
    {+keys*}           semi=;,dot=.,comma=,`,
  "3.2.4 fragment": `
    {#var}             #value
    {#hello}           #Hello%20World!
    {#half}            #50%25
    foo{#empty}        foo#
    foo{#undef}        foo
    {#x,hello,y}       #1024,Hello%20World!,768
    {#path,x}/here     #/foo/bar,1024/here
    {#path:6}/here     #/foo/b/here
    {#list}            #red,green,blue
    {#list*}           #red,green,blue
    {#keys}            #semi,;,dot,.,comma,,
    {#keys*}           #semi=;,dot=.,comma=,`,
  "3.2.5 label": `
    {.who}             .fred
    {.who,who}         .fred.fred
    {.half,who}        .50%25.fred
    www{.dom*}         www.example.com
    X{.var}            X.value
    X{.empty}          X.
    X{.undef}          X
    X{.var:3}          X.val
    X{.list}           X.red,green,blue
    X{.list*}          X.red.green.blue
    X{.keys}           X.semi,%3B,dot,.,comma,%2C
    X{.keys*}          X.semi=%3B.dot=..comma=%2C
    X{.empty_keys}     X
    X{.empty_keys*}    X`,
  "3.2.6 path": `
    {/who}             /fred
    {/who,who}         /fred/fred
    {/half,who}        /50%25/fred
    {/who,dub}         /fred/me%2Ftoo
    {/var}             /value
    {/var,empty}       /value/
    {/var,undef}       /value
    {/var,x}/here      /value/1024/here
    {/var:1,var}       /v/value
    {/list}            /red,green,blue
    {/list*}           /red/green/blue
    {/list*,path:4}    /red/green/blue/%2Ffoo
    {/keys}            /semi,%3B,dot,.,comma,%2C
    {/keys*}           /semi=%3B/dot=./comma=%2C`,
  "3.2.7 path parameter": `
    {;who}             ;who=fred
    {;half}            ;half=50%25
    {;empty}           ;empty
    {;v,empty,who}     ;v=6;empty;who=fred
    {;v,bar,who}       ;v=6;who=fred
    {;x,y}             ;x=1024;y=768
    {;x,y,empty}       ;x=1024;y=768;empty
    {;x,y,undef}       ;x=1024;y=768
    {;hello:5}         ;hello=Hello
    {;list}            ;list=red,green,blue
    {;list*}           ;list=red;list=green;list=blue
    {;keys}            ;keys=semi,%3B,dot,.,comma,%2C
    {;keys*}           ;semi=%3B;dot=.;comma=%2C`,
  "3.2.8 query": `
    {?who}             ?who=fred
    {?half}            ?half=50%25
    {?x,y}             ?x=1024&y=768
    {?x,y,empty}       ?x=1024&y=768&empty=
    {?x,y,undef}       ?x=1024&y=768
    {?var:3}           ?var=val
    {?list}            ?list=red,green,blue
    {?list*}           ?list=red&list=green&list=blue
    {?keys}            ?keys=semi,%3B,dot,.,comma,%2C
    {?keys*}           ?semi=%3B&dot=.&comma=%2C`,
  "3.2.9 query continuation": `
    {&who}             &who=fred
    {&half}            &half=50%25
    ?fixed=yes{&x}     ?fixed=yes&x=1024
    {&x,y,empty}       &x=1024&y=768&empty=
    {&x,y,undef}       &x=1024&y=768
    {&var:3}           &var=val
    {&list}            &list=red,green,blue
    {&list*}           &list=red&list=green&list=blue
    {&keys}            &keys=semi,%3B,dot,.,comma,%2C
    {&keys*}           &semi=%3B&dot=.&comma=%2C`,
};

function toRows(text: string): [template: string, uri: string][] {
  return text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/) as [string, string]);
}

describe.each(Object.entries(sections))("RFC 6570 section %s", (_, text) => {
  test.each(toRows(text))("%s expands to %s", (template, uri) => {
    expect(expandUriTemplate(template, values)).toBe(uri);
  });
});

describe("expand", () => {
  test.each([
    ["non-ASCII text", "x/{a}", "münchen 日本 😀", "x/m%C3%BCnchen%20%E6%97%A5%E6%9C%AC%20%F0%9F%98%80"],
    ["escapes in a reserved value, which stay", "x/{+a}", "%41%2f%zz", "x/%41%2f%25zz"],
    ["a prefix that ends after a whole character", "{a:2}", "😀é!", "%F0%9F%98%80%C3%A9"],
    ["a lone surrogate, which no URI can carry", "{a}", "\ud800x", "%EF%BF%BDx"],
  ])("writes %s", (_, template, a, uri) => {
    expect(expandUriTemplate(template, { a })).toBe(uri);
  });

  test("escapes literal text that a URI cannot hold", () => {
    expect(expandUriTemplate("caf\u00e9 x%20y/{a}", { a: "b" })).toBe("caf%C3%A9%20x%20y/b");
  });

  test("does not take values from a prototype", () => {
    const template = "x{/constructor,toString,__proto__}";
    expect(expandUriTemplate(template, {})).toBe("x");
    expect(expandUriTemplate(template, { ["__proto__"]: "p", constructor: "c" })).toBe("x/c/p");
  });

  test("refuses a list where the template limits the length of text", () => {
    expect(() => expandUriTemplate("{a:3}", { a: ["b"] })).toThrow(UriTemplateError);
  });
});
