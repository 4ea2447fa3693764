"""What a router must bear: every mistake is an error of the contract that names the value, and
never a crash or a leak."""

import concurrent.futures
import json
import threading
import time
import unittest

from running_router import (
    KEY,
    RunningRouter,
    backend_headers,
    device_headers,
    token,
)

SESSIONS = "/v1/agents/sessions"
MIB = 1 << 20


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.router = RunningRouter()

    @classmethod
    def tearDownClass(cls):
        code, errors = cls.router.stop()
        assert code == 0, f"the router ended with {code}: {errors[-2000:]}"

    def connect(self, timeout=120):
        connection = self.router.connect(timeout)
        self.addCleanup(connection.close)
        return connection

    def send(self, method, path, body=None, headers=None):
        return self.router.send(method, SESSIONS + path, body, headers)

    def expect(self, answer, status, code, *words):
        self.assertEqual((answer.status, answer.code), (status, code), answer.body)
        self.assertEqual(answer.headers["content-type"], "application/json")
        self.assertTrue(answer.headers["x-request-id"])
        for word in words:
            self.assertIn(word, answer.message)

    # Ids, cursors, limits, fields

    def test_ids_that_are_none_are_refused_with_the_id(self):
        for name in ["", "x" * 65, "../x", "a b", "a/b", "ä", "１２", "a\u0000b", "😀"]:
            self.expect(self.send("POST", "", {"id": name}), 400, "invalid_id")
        self.assertEqual(self.send("POST", "", {"id": "x" * 64}).status, 201)

    def test_a_line_break_in_a_path_reaches_nothing_that_its_beginning_names(self):
        self.assertEqual(self.send("POST", "", {"id": "stays"}).status, 201)
        for path in ["/stays%0D", "/stays%0Dx", "/stays%0D/more"]:
            self.assertEqual(self.send("DELETE", path).status, 404, path)
        self.assertEqual(self.send("GET", "/stays").status, 200)

    def test_cursors_of_nothing_and_of_another_list_are_refused(self):
        for number in range(3):
            self.send("POST", "", {"title": f"cursors {number}"})
        page = self.send("POST", "/query", {"limit": 1}).json
        cursor = page["next_cursor"]
        for wrong in ["x", cursor[:-2], cursor + "A", "W10", "e30", "bnVsbA", "." * 2000]:
            self.expect(self.send("POST", "/query", {"limit": 1, "cursor": wrong}), 400, "invalid_cursor")
        other = {"limit": 1, "cursor": cursor, "filter": {"state": "ended"}}
        self.expect(self.send("POST", "/query", other), 400, "invalid_cursor")

    def test_limits_out_of_range_are_refused_with_the_limit(self):
        for limit in [0, 201, -1, 10**30, 1.5, "25"]:
            self.expect(self.send("POST", "/query", {"limit": limit}), 400, "limit_out_of_range")
        self.send("POST", "", {"id": "limits"})
        for limit in ["", "0", "201", "-1", "1e3", "99999999999999999999", "x"]:
            answer = self.send("GET", f"/limits/responses?limit={limit}")
            self.expect(answer, 400, "limit_out_of_range")

    def test_unknown_fields_filters_and_sorts_are_refused_by_name(self):
        self.expect(self.send("POST", "", {"titel": "x"}), 400, "unknown_field", "titel", "title")
        query = {"filter": {"colour": "red"}}
        self.expect(self.send("POST", "/query", query), 400, "unknown_field", "colour")
        query = {"sort": [{"field": "title", "direction": -1}]}
        self.expect(self.send("POST", "/query", query), 400, "invalid_field", "title")

    # Bodies

    def test_a_message_of_five_megabytes_is_taken_and_one_more_byte_is_not(self):
        room = 5 * MIB - len(b'{"title": ""}')
        answer = self.send("POST", "", {"title": "x" * room})
        self.assertEqual(answer.status, 201)
        self.assertEqual(len(answer.json["title"]), room)
        answer = self.send("POST", "", {"title": "x" * (room + 1)})
        self.expect(answer, 413, "too_large")

    def test_deep_json_is_refused_and_not_followed_to_the_end(self):
        for depth in [10_000, 1_000_000]:
            for opening in [b"[", b'{"a":']:
                answer = self.send("POST", "", b'{"custom":' + opening * depth)
                self.expect(answer, 400, "invalid_json")

    def test_what_is_no_json_is_refused_with_its_place(self):
        for body in [b"{", b'{"title":1e999}', b"[]", b"nul", b'{"title":"\x01"}', b'"x"', b"{}{}",
                     b'{"a":01}', b"\xef\xbb\xbf{}", b'{"title":"x",}']:
            answer = self.send("POST", "", body)
            self.assertEqual(answer.status, 400, body)
            self.assertIn(answer.code, ["invalid_json", "invalid_field", "unknown_field"], body)

    def test_invalid_utf8_and_lone_surrogates_never_come_back_as_something_else(self):
        for text in [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xc0\xaf"]:
            answer = self.send("POST", "", b'{"title":"' + text + b'"}')
            self.expect(answer, 400, "invalid_utf8")
        for text in [rb"\ud800", rb"\udc00", rb"\ud800x", rb"\ud800\ud800"]:
            answer = self.send("POST", "", b'{"title":"' + text + b'"}')
            self.assertEqual((answer.status, answer.code), (400, "invalid_json"), text)
        answer = self.send("POST", "", rb'{"title":"\ud83d\ude00"}')
        self.assertEqual(answer.json["title"], "😀")

    def test_titles_of_any_script_come_back_as_they_were(self):
        for title in ["a" * 49 + "👨‍👩‍👧‍👦", "e\u0301" * 80, "שלום עולם", "a\u202eb", "\u0000x", "\U0010ffff"]:
            answer = self.send("POST", "", {"title": title})
            self.assertEqual(answer.json["title"], title)
            self.assertEqual(self.send("GET", f"/{answer.json['id']}").json["title"], title)

    # Who asks

    def test_tokens_of_other_algorithms_are_none(self):
        for header in [{"alg": "none"}, {"alg": "RS256"}, {"alg": "HS512"}, {"alg": "hs256"},
                       {"alg": "HS256", "crit": ["exp"]}]:
            headers = {"X-Api-Key": KEY, "Authorization": f"Bearer {token(header=header, user_id='anna')}"}
            answer = self.send("GET", "/x", headers=headers)
            self.expect(answer, 401, "unauthenticated")

    def test_a_backends_token_with_a_devices_claim_is_none_and_the_other_way_round(self):
        headers = backend_headers()
        headers["Stream-Auth-Type"] = "jwt"
        self.expect(self.send("GET", "/x", headers=headers), 401, "unauthenticated", "server")
        headers = device_headers() | {"Stream-Auth-Type": "server"}
        self.expect(self.send("GET", "/x", headers=headers), 401, "unauthenticated", "user")

    def test_a_clock_that_is_a_minute_wrong_is_borne_and_no_more(self):
        now = int(time.time())
        bearable = [{"exp": now - 55}, {"iat": now + 55, "nbf": now + 55}]
        for claims in bearable:
            self.assertEqual(self.send("GET", "/x", headers=device_headers(**claims)).status, 404)
        for claims, code in [({"exp": now - 65}, "token_expired"), ({"nbf": now + 70}, "token_not_yet_valid"),
                             ({"iat": now + 70}, "token_not_yet_valid"), ({"iat": 3600, "exp": 7200}, "token_expired")]:
            answer = self.send("GET", "/x", headers=device_headers(**claims))
            self.expect(answer, 401, code)

    def test_a_token_that_expires_closes_its_socket_and_a_fresh_one_resumes(self):
        self.send("POST", "", {"id": "expiring"}, device_headers())
        # Borne for sixty seconds after its end.
        expiry = int(time.time()) - 58
        connection = self.connect()
        path = f"{SESSIONS}/expiring/events?v=2&api_key={KEY}&token="
        self.assertEqual(connection.upgrade(path + token(user_id="anna", exp=expiry)).status, 101)
        stream = connection.event("snapshot")
        self.assertEqual(connection.event("error")["code"], "token_expired")
        self.assertEqual(connection.close_code(), 4401)
        connection.close()
        connection = self.connect()
        resumed = f"{path}{token(user_id='anna')}&after={stream['seq']}&stream={stream['stream']}"
        self.assertEqual(connection.upgrade(resumed).status, 101)
        self.assertFalse(connection.event("snapshot")["gap"])
        connection.close()

    # Many at once

    def test_of_fifty_creates_with_one_id_exactly_one_wins(self):
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(lambda _: self.send("POST", "", {"id": "race"}), range(50)))
        self.assertEqual(sorted(a.status for a in answers), [201] + [409] * 49)
        self.assertEqual({a.code for a in answers if a.status == 409}, {"session_exists"})

    def test_a_list_read_while_four_write_shows_every_session_once(self):
        for number in range(60):
            self.send("POST", "", {"id": f"still-{number}", "project_id": "paging"})
            self.send("POST", f"/still-{number}/stop")
        done = threading.Event()

        def write(writer):
            number = 0
            while not done.is_set():
                name = f"moving-{writer}-{number}"
                self.send("POST", "", {"id": name, "project_id": "paging"})
                self.send("PATCH", f"/{name}", {"title": "x"})
                self.send("DELETE", f"/{name}")
                number += 1

        writers = [threading.Thread(target=write, args=(w,)) for w in range(4)]
        for writer in writers:
            writer.start()
        try:
            for _ in range(3):
                seen, query = [], {"limit": 7, "filter": {"project_id": "paging"}}
                while True:
                    page = self.send("POST", "/query", query).json
                    seen += [item["id"] for item in page["items"]]
                    if not page["has_more"]:
                        break
                    query["cursor"] = page["next_cursor"]
                still = [name for name in seen if name.startswith("still-")]
                self.assertEqual(len(still), 60)
                self.assertEqual(len(set(seen)), len(seen), "a session came twice")
        finally:
            done.set()
            for writer in writers:
                writer.join()

    # Sockets

    def test_commands_that_are_none_are_errors_and_the_socket_stays(self):
        self.send("POST", "", {"id": "commands"})
        connection = self.connect()
        path = f"{SESSIONS}/commands/events?api_key={KEY}&token={token(server=True)}"
        self.assertEqual(connection.upgrade(path).status, 101)
        for text in [b"", b"x", b"[]", b"null", b'{"type":1}', b'{"type":"x"}', b"[" * 100_000]:
            connection.send_frame(1, text)
            error = connection.event("error")
            self.assertEqual(error["context"], "command", text)
        connection.send_frame(2, b"binary")
        self.assertIn("text message", connection.event("error")["error"])
        connection.send_frame(1, b'{"type":"close"}')
        self.assertEqual(connection.close_code(), 1000)

    def test_a_message_beyond_five_megabytes_ends_its_socket_only(self):
        self.send("POST", "", {"id": "large"})
        path = f"{SESSIONS}/large/events?api_key={KEY}&token={token(server=True)}"
        other = self.connect()
        self.assertEqual(other.upgrade(path).status, 101)
        connection = self.connect()
        self.assertEqual(connection.upgrade(path).status, 101)
        try:
            connection.send_frame(1, b'{"type":"say","text":"' + b"x" * (6 * MIB) + b'"}')
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.assertIn(connection.close_code(), [1009, 4413, None])
        other.send_frame(1, b'{"type":"x"}')
        self.assertEqual(other.event("error")["context"], "command")
        other.close()

    def test_frames_of_no_kind_and_texts_that_are_none_end_their_socket(self):
        self.send("POST", "", {"id": "broken"})
        path = f"{SESSIONS}/broken/events?api_key={KEY}&token={token(server=True)}"
        for opcode, payload in [(3, b""), (7, b""), (11, b""), (15, b""), (1, b"\xff")]:
            connection = self.connect()
            if connection.upgrade(path).status != 101:
                self.fail("not let in")
            connection.send_frame(opcode, payload)
            code = connection.close_code()
            self.assertTrue(code is None or code >= 1002, code)
            connection.close()
        self.assertTrue(self.router.is_alive())

    # Heads

    def test_a_head_that_is_too_large_is_told_so(self):
        for size in [30_000, 40_000]:
            headers = backend_headers() | {"X-Stream-Client": "x" * size}
            answer = self.send("GET", "/x", headers=headers)
            self.assertIsNotNone(answer, f"no answer to a head of {size} bytes")
            self.expect(answer, 431, "too_large", "24576")

    def test_a_query_of_too_many_items_is_refused_and_not_read_in_part(self):
        items = "&".join(f"unknown{index}=1" for index in range(64))
        self.expect(self.send("GET", f"/none?{items}"), 404, "session_not_found")
        self.expect(self.send("GET", f"/none?{items}&one=more"), 400, "invalid_field", "64")
        path = f"{SESSIONS}/none/events?{items}&api_key={KEY}&token={token(server=True)}"
        refused = self.connect().upgrade(path)
        self.assertEqual(refused.status, 400)

    def test_heads_that_are_none_end_their_connection_only(self):
        for head in [b"\0" * 100, b"GET /%00 HTTP/1.1\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 1000,
                     b"GET /" + b"x" * 100_000, b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                     b"POST / HTTP/1.1\r\nContent-Length: 9999999999999999999999\r\n\r\n",
                     b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"]:
            connection = self.connect(timeout=15)
            try:
                connection.send(head)
                answer = connection.answer()
                self.assertTrue(answer is None or answer.status >= 400, head[:40])
            except (BrokenPipeError, ConnectionResetError):
                pass
            finally:
                connection.close()
        self.assertEqual(self.send("GET", "/none").status, 404)

    def test_a_head_that_comes_byte_by_byte_is_given_up(self):
        slow = [self.connect(timeout=60) for _ in range(50)]
        ended = 0
        start = time.monotonic()
        try:
            while slow and time.monotonic() - start < 45:
                for connection in list(slow):
                    try:
                        connection.send(b"G" if time.monotonic() - start < 0.5 else b"x")
                        connection.socket.settimeout(0.001)
                        if not connection.socket.recv(100):
                            raise ConnectionResetError
                    except TimeoutError:
                        continue
                    except OSError:
                        slow.remove(connection)
                        ended += 1
                # Everybody else is answered meanwhile.
                self.assertEqual(self.send("GET", "/none").status, 404)
                time.sleep(0.5)
        finally:
            for connection in slow:
                connection.close()
        self.assertEqual(ended, 50, "a slow head kept its connection")

    def test_requests_written_at_once_are_answered_or_their_connection_ends(self):
        get = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
        post = b"POST /v1/agents/sessions/query HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
        for piece in [get * 2, get * 50, post * 2, post + get, get + post + get, post * 50]:
            connection = self.connect(10)
            connection.send(piece)
            first = connection.answer()
            self.assertIn(first.status, (200, 401))
            self.assertEqual(first.headers["connection"], "close")
            self.assertIsNone(connection.answer())
            self.assertEqual(self.send("GET", "/none").status, 404)

    def test_a_request_that_comes_in_two_pieces_behind_another_is_answered(self):
        get = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
        post = b"POST /v1/agents/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
        connection = self.connect(10)
        for piece in [get, get[:10], get[10:], post, post[:-1], post[-1:]]:
            connection.send(piece)
            if piece.endswith((b"\r\n\r\n", b"}")):
                self.assertIn(connection.answer().status, (200, 401))
            else:
                time.sleep(0.05)

    def test_half_open_and_broken_off_connections_leave_nothing(self):
        for round in range(3):
            for _ in range(200):
                connection = self.connect()
                connection.send(b"POST /v1/agents/sessions HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf")
                connection.close()
            self.send("GET", "/none")
            if round == 0:
                time.sleep(1)
                before = (self.router.descriptors(), self.router.resident_kib())
        time.sleep(1)
        self.assertLessEqual(self.router.descriptors(), before[0] + 5)
        self.assertLess(self.router.resident_kib(), before[1] + 4096)


if __name__ == "__main__":
    unittest.main()
